// SPDX-License-Identifier: MIT
//! Events that are defined at compile time, by [`event!`](crate::event!) and
//! [`eventheader!`](crate::eventheader!).
//!
//! The macros make an item of each event: its words and constants, and a type whose `write` takes
//! a value for each field. `write` packs the record on the stack, as the macros of C do, and one
//! call of the library sends it.
use std::cell::UnsafeCell;
use std::mem::{size_of, MaybeUninit};
use std::os::raw::c_int;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use crate::error::{check, Error, EINVAL, EMSGSIZE};
use crate::ffi;
use crate::packed::{Described, Located, Record};
use crate::session::{Loss, Session};
use crate::tracepoint::{Activity, Level};

/// What the macros define: an event or a tracepoint in a `static` variable.
///
/// Any thread may use it. It is disabled until it is registered, and again when its session is
/// dropped, after which another session may register it.
#[derive(Debug)]
pub struct Defined {
    word: &'static AtomicU32,
    fd: AtomicI32,
    raw: UnsafeCell<ffi::ue_event>,
}

// SAFETY: the library lets any thread test, register and write an event at any time; nothing
// else has access to raw.
unsafe impl Sync for Defined {}
// SAFETY: as above.
unsafe impl Send for Defined {}

impl Defined {
    /// Used by the macros. The definition ends with a NUL.
    #[doc(hidden)]
    pub const fn event(word: &'static AtomicU32, definition: &'static str, fixed: usize) -> Self {
        Defined::new(word, c_string(definition), fixed, ptr::null())
    }

    const fn new(
        word: &'static AtomicU32,
        definition: *const u8,
        fixed: usize,
        parts: *const ffi::ue_tracepoint_parts,
    ) -> Self {
        let raw = ffi::ue_event {
            size: size_of::<ffi::ue_event>() as u32,
            flags: 0,
            definition: definition.cast(),
            word,
            ue__own_word: 0,
            ue__fixed_size: fixed as u32,
            ue__binding: ffi::UE__NO_FD,
            ue__status_byte: ptr::null(),
            ue__parts: parts,
            ue__payload_max: 0,
            ue__direct_max: 0,
            ue__registration: ptr::null_mut(),
            ue__write_call: 0,
        };
        Defined { word, fd: AtomicI32::new(-1), raw: UnsafeCell::new(raw) }
    }

    /// Registers it. For a session that writes nothing, it stays disabled.
    pub fn register(&'static self, session: &Session) -> Result<(), Error> {
        // SAFETY: a static variable stays at its address.
        unsafe { session.register(self.raw.get()) }?;
        if session.is_open() {
            self.fd.store(session.fd(), Ordering::Release);
        }
        Ok(())
    }

    /// Whether any tool listens: a load, a test and a branch.
    #[inline(always)]
    pub fn is_enabled(&self) -> bool {
        let word = self.word.load(Ordering::Relaxed);
        word != 0 && (word as i32 > 0 || self.asks())
    }

    /// Kernels before 6.4 keep the state elsewhere.
    #[cold]
    fn asks(&self) -> bool {
        // SAFETY: the event is initialised.
        unsafe { ffi::ue_enabled(self.raw.get()) != 0 }
    }

    /// The number of lost events, for one reason.
    pub fn losses(&self, reason: Loss) -> u32 {
        // SAFETY: the event is initialised.
        unsafe { ffi::ue_event_losses(self.raw.get(), reason as c_int) }
    }

    /// Sends a payload of so many bytes, which the closure packs. Used by the macros.
    #[doc(hidden)]
    #[inline(always)]
    pub fn send(&self, size: usize, pack: impl FnOnce(&mut Record<'_>)) -> Result<(), Error> {
        if size > ffi::UE_PAYLOAD_MAX_LEAST {
            return self.send_large(size, pack);
        }
        let mut room = MaybeUninit::<[u8; BYTES_AROUND + ffi::UE_PAYLOAD_MAX_LEAST]>::uninit();
        // SAFETY: the room has the size of the record, and the byte behind it.
        unsafe { self.send_from(room.as_mut_ptr().cast(), size, pack) }
    }

    #[cold]
    #[inline(never)]
    fn send_large(&self, size: usize, pack: impl FnOnce(&mut Record<'_>)) -> Result<(), Error> {
        if size > ffi::UE_PAYLOAD_MAX_PERF {
            // SAFETY: the event is initialised.
            return Err(unsafe { self.refused(-EMSGSIZE) });
        }
        let mut room = MaybeUninit::<[u8; BYTES_AROUND + ffi::UE_PAYLOAD_MAX_PERF]>::uninit();
        // SAFETY: as above.
        unsafe { self.send_from(room.as_mut_ptr().cast(), size, pack) }
    }

    /// # Safety
    /// The room has BYTES_AROUND bytes more than the payload.
    #[inline(always)]
    unsafe fn send_from(
        &self,
        room: *mut u8,
        size: usize,
        pack: impl FnOnce(&mut Record<'_>),
    ) -> Result<(), Error> {
        let fd = self.fd.load(Ordering::Acquire);
        if fd < 0 {
            return Ok(()); // another thread is just registering it
        }
        // SAFETY: the caller's promise.
        let mut record = unsafe { Record::new(room.add(INDEX), size) };
        pack(&mut record);
        if !record.is_complete() {
            // SAFETY: the event is initialised.
            return Err(unsafe { self.refused(-EINVAL) });
        }
        // SAFETY: the record is complete, but for its index, which the library sets.
        let result = unsafe { ffi::ue__send_fixed(fd, room.cast(), INDEX + size, self.raw.get()) };
        check(ffi::UE_CALL_WRITE, result).map(drop)
    }

    /// # Safety
    /// None: it calls the library.
    #[cold]
    unsafe fn refused(&self, error: c_int) -> Error {
        let fd = self.fd.load(Ordering::Acquire);
        // SAFETY: the event is initialised.
        Error::new(ffi::UE_CALL_WRITE, unsafe { ffi::ue_event_lost(fd, self.raw.get(), error) })
    }
}

/// The write index before a payload; behind it a byte that belongs to the library.
const INDEX: usize = 4;
const BYTES_AROUND: usize = INDEX + 1;

const fn c_string(text: &'static str) -> *const u8 {
    let bytes = text.as_bytes();
    let mut at = 0;
    while bytes[at] != 0 {
        at += 1;
    }
    assert!(at + 1 == bytes.len(), "a name contains a NUL");
    bytes.as_ptr()
}

/// Names of a tracepoint. Used by the macros.
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub struct Parts(ffi::ue_tracepoint_parts);

// SAFETY: it refers to constants.
unsafe impl Sync for Parts {}

impl Parts {
    /// The texts end with a NUL.
    pub const fn new(
        provider: &'static str,
        group: &'static str,
        level: Level,
        keyword: u64,
    ) -> Self {
        assert!(level.0 != 0, "the level of a tracepoint is 1 to 255");
        Parts(ffi::ue_tracepoint_parts {
            provider: c_string(provider).cast(),
            group: c_string(group).cast(),
            keyword,
            level: level.0 as u32,
        })
    }
}

/// Memory for a tracepoint's definition, which the library makes. Used by the macros.
#[doc(hidden)]
#[derive(Debug)]
pub struct Text(UnsafeCell<[u64; (ffi::UE__TRACEPOINT_TEXT + 7) / 8]>);

// SAFETY: only the library accesses it, while it registers the tracepoint.
unsafe impl Sync for Text {}

impl Text {
    /// Empty.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Text(UnsafeCell::new([0; (ffi::UE__TRACEPOINT_TEXT + 7) / 8]))
    }
}

/// A tracepoint of [`tracepoint!`](crate::tracepoint!).
#[derive(Debug)]
pub struct DefinedTracepoint {
    defined: Defined,
    level: u8,
}

impl DefinedTracepoint {
    /// Used by the macro.
    #[doc(hidden)]
    pub const fn new(
        word: &'static AtomicU32,
        parts: &'static Parts,
        text: &'static Text,
        level: Level,
    ) -> Self {
        let text = text.0.get() as *const u8;
        let defined = Defined::new(word, text, HEADER, &parts.0);
        DefinedTracepoint { defined, level: level.0 }
    }

    /// Packs and sends an event. Used by the macros.
    #[doc(hidden)]
    #[inline(always)]
    pub fn send(
        &self,
        description: &[u8],
        ids: [Option<Activity>; 2],
        size: usize,
        pack: impl FnOnce(&mut Record<'_>),
    ) -> Result<(), Error> {
        let extra = activity_size(ids);
        self.defined.send(description.len() + extra + size, |record| {
            record.bytes(&description[..HEADER - 1]);
            record.bytes(&[self.level]);
            if extra != 0 {
                put_activity(record, ids);
            }
            record.bytes(&description[HEADER..]);
            pack(record);
        })
    }
}

impl std::ops::Deref for DefinedTracepoint {
    type Target = Defined;

    fn deref(&self) -> &Defined {
        &self.defined
    }
}

#[inline(always)]
const fn activity_size(ids: [Option<Activity>; 2]) -> usize {
    match ids {
        [None, _] => 0,
        [Some(_), None] => 4 + 16,
        [Some(_), Some(_)] => 4 + 32,
    }
}

#[cold]
fn put_activity(record: &mut Record<'_>, ids: [Option<Activity>; 2]) {
    let kind = ffi::UE_EXTENSION_ACTIVITY | ffi::UE_EXTENSION_CHAIN;
    record.bytes(&(activity_size(ids) as u16 - 4).to_ne_bytes());
    record.bytes(&kind.to_ne_bytes());
    for id in ids.into_iter().flatten() {
        record.bytes(&id.0);
    }
}

/// Bytes of an event's header, of which the level is the last.
const HEADER: usize = 8;

/// Header, and a description of the parts, as they are in a record. Used by the macros.
#[doc(hidden)]
pub const fn described<const SIZE: usize>(options: u64, parts: &[&[u8]]) -> [u8; SIZE] {
    let flags = ffi::UE_HEADER_EXTENSION
        | if size_of::<usize>() == 8 { ffi::UE_HEADER_POINTER64 } else { 0 }
        | if cfg!(target_endian = "little") { ffi::UE_HEADER_LITTLE_ENDIAN } else { 0 };
    let id = ((options >> 16) as u16).to_ne_bytes();
    let tag = ((options >> 32) as u16).to_ne_bytes();
    let length = ((SIZE - HEADER - 4) as u16).to_ne_bytes();
    let kind = ffi::UE_EXTENSION_METADATA.to_ne_bytes();
    let mut made = [0; SIZE];
    let (version, opcode) = ((options >> 8) as u8, (options >> 48) as u8);
    let head = [
        flags, version, id[0], id[1], tag[0], tag[1], opcode, 0, length[0], length[1], kind[0],
        kind[1],
    ];
    let (mut at, mut part) = (0, 0);
    while at < head.len() {
        made[at] = head[at];
        at += 1;
    }
    while part < parts.len() {
        let mut byte = 0;
        while byte < parts[part].len() {
            made[at] = parts[part][byte];
            at += 1;
            byte += 1;
        }
        part += 1;
    }
    assert!(at == SIZE);
    made
}

/// The size of the same. Used by the macros.
#[doc(hidden)]
pub const fn described_size(parts: &[&[u8]]) -> usize {
    let (mut size, mut part) = (HEADER + 4, 0);
    while part < parts.len() {
        size += parts[part].len();
        part += 1;
    }
    assert!(size <= u16::MAX as usize);
    size
}

/// Size of a classic event's fixed part. Used by the macros.
#[doc(hidden)]
pub const fn fixed_size<T: Located>() -> usize {
    T::FIXED
}

/// Type of a field in a description. Used by the macros.
#[doc(hidden)]
pub const fn kind<T: Described>() -> &'static [u8] {
    T::KIND
}

/// Defines classic events: their description is made at compile time, and a write costs as much
/// as in C.
///
/// ```no_run
/// userevents::event! {
///     /// A request was answered.
///     pub static REQUEST = "shop_request" { status: u32, latency_ns: u64, path: str };
/// }
///
/// let session = userevents::Session::open_or_none();
/// REQUEST.register(&session)?;
/// REQUEST.write(200, 1_234_567, "/index.html")?;
/// # Ok::<(), userevents::Error>(())
/// ```
///
/// Types are `u8` to `u64`, `i8` to `i64`, `str` and `[u8]`. The arguments of `write` are evaluated
/// in any case: test [`Defined::is_enabled`] before expensive ones. A NUL ends a text for most
/// readers.
///
/// ```compile_fail,E0308
/// userevents::event! { static ONE = "one" { number: u32 }; }
/// ONE.write("text").unwrap();
/// ```
///
/// An event needs a `static` variable, as the kernel has its address:
///
/// ```compile_fail,E0597
/// let session = userevents::Session::open_or_none();
/// static WORD: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
/// let event = userevents::Defined::event(&WORD, "moves\0", 0);
/// event.register(&session).unwrap();
/// ```
#[macro_export]
macro_rules! event {
    ($($(#[$meta:meta])* $visible:vis static $NAME:ident = $name:literal {
        $($field:ident : $kind:tt),* $(,)?
    };)+) => { $(
        $(#[$meta])*
        $visible static $NAME: $NAME = {
            static WORD: ::std::sync::atomic::AtomicU32 = ::std::sync::atomic::AtomicU32::new(0);
            const FIXED: usize = 0 $(+ $crate::fixed_size::<$crate::__argument!($kind)>())*;
            let defined = $crate::Defined::event(
                &WORD,
                concat!($name, " ", $($crate::__classic!($kind), stringify!($field), "; ",)* "\0"),
                FIXED,
            );
            $NAME { defined }
        };

        $(#[$meta])*
        #[allow(non_camel_case_types)]
        #[derive(Debug)]
        $visible struct $NAME {
            defined: $crate::Defined,
        }

        impl $NAME {
            /// Writes the event, if it is enabled. An error is that of a write, after which the
            /// event is lost and counted.
            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            pub fn write(&self $(, $field: $crate::__argument!($kind))*)
                -> ::std::result::Result<(), $crate::Error> {
                #[cold]
                #[inline(never)]
                #[allow(clippy::too_many_arguments)]
                fn send(defined: &$crate::Defined $(, $field: $crate::__argument!($kind))*)
                    -> ::std::result::Result<(), $crate::Error> {
                    const FIXED: usize = 0 $(+ $crate::fixed_size::<$crate::__argument!($kind)>())*;
                    let size = FIXED $(+ $crate::Located::located(&$field))*;
                    defined.send(size, |record| {
                        record.begin_classic(FIXED);
                        $($crate::Located::put(&$field, record);)*
                        let _ = record;
                    })
                }
                if self.defined.is_enabled() {
                    return send(&self.defined $(, $field)*);
                }
                Ok(())
            }
        }

        impl ::std::ops::Deref for $NAME {
            type Target = $crate::Defined;

            fn deref(&self) -> &$crate::Defined {
                &self.defined
            }
        }
    )+ };
}

/// Defines tracepoints of EventHeader events, for [`eventheader!`](crate::eventheader!).
///
/// A provider, a level and a keyword, and perhaps a group:
/// `tracepoint! { static T = "MyCompany_Shop", Level::VERBOSE, 0x1, "group"; }`.
#[macro_export]
macro_rules! tracepoint {
    ($($(#[$meta:meta])* $visible:vis static $NAME:ident =
        $provider:literal, $level:expr, $keyword:expr $(, $group:literal)?;)+) => { $(
        $(#[$meta])*
        $visible static $NAME: $crate::DefinedTracepoint = {
            static WORD: ::std::sync::atomic::AtomicU32 = ::std::sync::atomic::AtomicU32::new(0);
            static PARTS: $crate::Parts = $crate::Parts::new(
                concat!($provider, "\0"), concat!($($group,)? "\0"), $level, $keyword);
            static TEXT: $crate::Text = $crate::Text::new();
            $crate::DefinedTracepoint::new(&WORD, &PARTS, &TEXT, $level)
        };
    )+ };
}

/// Defines EventHeader events of a tracepoint: each is described at compile time.
///
/// ```no_run
/// use userevents::{Activity, Level, Session};
///
/// userevents::tracepoint! {
///     static ORDERS = "MyCompany_Shop", Level::INFORMATION, 0x1;
/// }
/// userevents::eventheader! {
///     static PLACED = ORDERS, "OrderPlaced" { order: u64, total: f64, path: str, sizes: [u16] };
///     static START = ORDERS, "Start", opcode 1, id 7, version 1 { user: str };
/// }
///
/// let session = Session::open_or_none();
/// ORDERS.register(&session)?;
/// PLACED.write(17, 99.5, "/index.html", &[5, 7])?;
/// START.write_activity(Activity::new()?, None, "ann")?;
/// # Ok::<(), userevents::Error>(())
/// ```
///
/// Types are those of [`event!`](crate::event!), `f32`, `f64`, `bool`, and slices of numbers. Other
/// kinds of fields have [`Tracepoint::write`](crate::Tracepoint::write).
#[macro_export]
macro_rules! eventheader {
    ($($(#[$meta:meta])* $visible:vis static $NAME:ident =
        $tracepoint:path, $name:literal $(, $option:ident $value:literal)* {
        $($field:ident : $kind:tt),* $(,)?
    };)+) => { $(
        $(#[$meta])*
        $visible static $NAME: $NAME = $NAME { tracepoint: &$tracepoint };

        $(#[$meta])*
        #[allow(non_camel_case_types)]
        #[derive(Debug)]
        $visible struct $NAME {
            tracepoint: &'static $crate::DefinedTracepoint,
        }

        impl $NAME {
            const PARTS: &'static [&'static [u8]] = &[
                concat!($name, "\0").as_bytes(),
                $(concat!(stringify!($field), "\0").as_bytes(),
                  $crate::kind::<$crate::__argument!($kind)>(),)*
            ];
            const OPTIONS: u64 = 0 $(| $crate::__option!($option, $value))*;
            const SIZE: usize = $crate::described_size(Self::PARTS);
            const DESCRIPTION: [u8; Self::SIZE] =
                $crate::described::<{ Self::SIZE }>(Self::OPTIONS, Self::PARTS);

            /// Writes the event, if its tracepoint is enabled. An error is that of a write,
            /// after which the event is lost and counted.
            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            pub fn write(&self $(, $field: $crate::__argument!($kind))*)
                -> ::std::result::Result<(), $crate::Error> {
                if self.tracepoint.is_enabled() {
                    return self.send([None, None] $(, $field)*);
                }
                Ok(())
            }

            /// The same as part of an activity. related: of the event that starts it, the
            /// activity that it is part of.
            #[inline(always)]
            #[allow(dead_code, clippy::too_many_arguments)]
            pub fn write_activity(
                &self,
                activity: $crate::Activity,
                related: ::std::option::Option<$crate::Activity>
                $(, $field: $crate::__argument!($kind))*
            ) -> ::std::result::Result<(), $crate::Error> {
                if self.tracepoint.is_enabled() {
                    return self.send([Some(activity), related] $(, $field)*);
                }
                Ok(())
            }

            #[cold]
            #[inline(never)]
            #[allow(clippy::too_many_arguments)]
            fn send(
                &self,
                ids: [::std::option::Option<$crate::Activity>; 2]
                $(, $field: $crate::__argument!($kind))*
            ) -> ::std::result::Result<(), $crate::Error> {
                let size = 0 $(+ $crate::Described::size(&$field))*;
                self.tracepoint.send(&Self::DESCRIPTION, ids, size, |record| {
                    $($crate::Described::put(&$field, record);)*
                    let _ = record;
                })
            }

            /// Whether any tool listens to its tracepoint.
            #[inline(always)]
            #[allow(dead_code)]
            pub fn is_enabled(&self) -> bool {
                self.tracepoint.is_enabled()
            }
        }
    )+ };
}

/// The type of an argument. Used by the macros.
#[doc(hidden)]
#[macro_export]
macro_rules! __argument {
    (str) => {
        &str
    };
    ([$element:tt]) => {
        &[$element]
    };
    ($kind:tt) => {
        $kind
    };
}

/// The type of a field in a definition. Used by the macros.
#[doc(hidden)]
#[macro_export]
macro_rules! __classic {
    (u8) => {
        "u8 "
    };
    (u16) => {
        "u16 "
    };
    (u32) => {
        "u32 "
    };
    (u64) => {
        "u64 "
    };
    (i8) => {
        "s8 "
    };
    (i16) => {
        "s16 "
    };
    (i32) => {
        "s32 "
    };
    (i64) => {
        "s64 "
    };
    (str) => {
        "__rel_loc char[] "
    };
    ([u8]) => {
        "__rel_loc u8[] "
    };
}

/// Options of an event. Used by the macros.
#[doc(hidden)]
#[macro_export]
macro_rules! __option {
    (id, $value:expr) => {
        ($value as u16 as u64) << 16
    };
    (version, $value:expr) => {
        ($value as u8 as u64) << 8
    };
    (tag, $value:expr) => {
        ($value as u16 as u64) << 32
    };
    (opcode, $value:expr) => {
        ($value as u8 as u64) << 48
    };
}
