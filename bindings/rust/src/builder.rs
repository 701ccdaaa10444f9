// SPDX-License-Identifier: MIT
//! The fields of EventHeader events.
use std::cell::RefCell;
use std::ffi::CString;
use std::net::IpAddr;
use std::os::raw::{c_char, c_int};
use std::ptr::{self, NonNull};

use crate::ffi;
use crate::tracepoint::Activity;

/// A builder of the library.
#[derive(Debug)]
pub(crate) struct Builder {
    raw: NonNull<ffi::ue_builder>,
}

thread_local! {
    /// Of this thread, not in use. A closure that adds fields may write another event.
    static UNUSED: RefCell<Vec<Builder>> = RefCell::default();
}

impl Builder {
    /// None: there is no memory.
    pub(crate) fn take() -> Option<Builder> {
        // At the end of a thread its list is gone.
        // A write in the allocator of the program may come in the middle of keep().
        if let Ok(Some(builder)) = UNUSED.try_with(|unused| unused.try_borrow_mut().ok()?.pop()) {
            return Some(builder);
        }
        // SAFETY: it takes nothing.
        NonNull::new(unsafe { ffi::ue_builder_new() }).map(|raw| Builder { raw })
    }

    pub(crate) fn keep(self) {
        let _ = UNUSED.try_with(|unused| {
            if let Ok(mut unused) = unused.try_borrow_mut() {
                unused.push(self);
            }
        });
    }

    pub(crate) fn begin(&mut self, name: &str, options: u64) {
        // SAFETY: the name has this length, and the library copies it.
        unsafe {
            ffi::ue_builder_begin_named(
                self.raw.as_ptr(),
                name.as_ptr().cast(),
                name.len(),
                options,
            )
        }
    }

    pub(crate) fn write(
        &mut self,
        fd: c_int,
        tracepoint: NonNull<ffi::ue_tracepoint>,
        activity: Option<Activity>,
        related: Option<Activity>,
    ) -> c_int {
        let activity = activity.map(|activity| ffi::ue_activity { id: activity.0 });
        let related = related.map(|related| ffi::ue_activity { id: related.0 });
        let pointer =
            |id: &Option<ffi::ue_activity>| id.as_ref().map_or(ptr::null(), |id| id as *const _);
        // SAFETY: the tracepoint is the caller's; the ids live until the call returns.
        unsafe {
            ffi::ue_builder_write(
                self.raw.as_ptr(),
                fd,
                tracepoint.as_ptr(),
                pointer(&activity),
                pointer(&related),
            )
        }
    }

    /// The description of a field whose value follows.
    fn describe(&mut self, name: &str, encoding: u8, format: u8) {
        // SAFETY: the name has this length, and the library copies it.
        unsafe {
            ffi::ue_builder_describe(
                self.raw.as_ptr(),
                name.as_ptr().cast(),
                name.len(),
                encoding,
                format,
                0,
            )
        }
    }

    fn raw(&mut self, bytes: &[u8]) {
        // SAFETY: the library copies the bytes.
        unsafe { ffi::ue_builder_raw(self.raw.as_ptr(), bytes.as_ptr().cast(), bytes.len()) }
    }

    /// Bytes, and their number before them. More than a number of 16 bits can count are too
    /// large for any listener, and lost.
    fn counted(&mut self, bytes: &[u8]) {
        let bytes = &bytes[..bytes.len().min(u16::MAX.into())];
        self.raw(&(bytes.len() as u16).to_ne_bytes());
        self.raw(bytes);
    }

    fn span(&mut self, name: &str, encoding: u8, format: u8, bytes: &[u8]) {
        self.describe(name, encoding, format);
        self.counted(bytes);
    }

    /// Calls a function that takes a C string. A name with a NUL gets the library's error.
    fn named(&mut self, name: &str, call: impl FnOnce(*mut ffi::ue_builder, *const c_char)) {
        match CString::new(name) {
            Ok(text) => call(self.raw.as_ptr(), text.as_ptr()),
            Err(_) => self.describe(name, ffi::UE_ENCODING_VALUE8, 0),
        }
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        // SAFETY: nothing else has the pointer.
        unsafe { ffi::ue_builder_free(self.raw.as_ptr()) }
    }
}

/// The fields of an EventHeader event that is being written, in order.
#[derive(Debug)]
pub struct Fields<'a> {
    builder: &'a mut Builder,
}

mod sealed {
    /// Only this crate's types: bytes that do not match the encoding would be a malformed event.
    pub trait Sealed {}
}

/// A number that can be an element of an array. No other crate can implement it.
pub trait Element: Copy + sealed::Sealed {
    #[doc(hidden)]
    const FORMAT: u8;
    #[doc(hidden)]
    const ENCODING: u8;
    #[doc(hidden)]
    fn put(self, to: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($type:ident $encoding:ident $format:ident $what:literal)*) => {
        $(impl sealed::Sealed for $type {}
        impl Element for $type {
            const FORMAT: u8 = ffi::$format;
            const ENCODING: u8 = ffi::$encoding;
            fn put(self, to: &mut Vec<u8>) {
                to.extend(self.to_ne_bytes());
            }
        })*
        impl Fields<'_> {
            $(#[doc = $what]
            pub fn $type(&mut self, name: &str, value: $type) -> &mut Self {
                self.value(name, ffi::$encoding, ffi::$format, &value.to_ne_bytes())
            })*
        }
    };
}
numbers! {
    u8 UE_ENCODING_VALUE8 UE_FORMAT_UNSIGNED_INT "A number of 8 bits."
    u16 UE_ENCODING_VALUE16 UE_FORMAT_UNSIGNED_INT "A number of 16 bits."
    u32 UE_ENCODING_VALUE32 UE_FORMAT_UNSIGNED_INT "A number of 32 bits."
    u64 UE_ENCODING_VALUE64 UE_FORMAT_UNSIGNED_INT "A number of 64 bits."
    i8 UE_ENCODING_VALUE8 UE_FORMAT_SIGNED_INT "A number of 8 bits with a sign."
    i16 UE_ENCODING_VALUE16 UE_FORMAT_SIGNED_INT "A number of 16 bits with a sign."
    i32 UE_ENCODING_VALUE32 UE_FORMAT_SIGNED_INT "A number of 32 bits with a sign."
    i64 UE_ENCODING_VALUE64 UE_FORMAT_SIGNED_INT "A number of 64 bits with a sign."
    f32 UE_ENCODING_VALUE32 UE_FORMAT_FLOAT "A floating-point number of 32 bits."
    f64 UE_ENCODING_VALUE64 UE_FORMAT_FLOAT "A floating-point number of 64 bits."
}

impl sealed::Sealed for bool {}
impl Element for bool {
    const FORMAT: u8 = ffi::UE_FORMAT_BOOLEAN;
    const ENCODING: u8 = ffi::UE_ENCODING_VALUE8;
    fn put(self, to: &mut Vec<u8>) {
        to.push(self.into());
    }
}

impl<'a> Fields<'a> {
    pub(crate) fn new(builder: &'a mut Builder) -> Self {
        Fields { builder }
    }

    fn value(&mut self, name: &str, encoding: u8, format: u8, bytes: &[u8]) -> &mut Self {
        self.builder.describe(name, encoding, format);
        self.builder.raw(bytes);
        self
    }

    /// A boolean.
    pub fn bool(&mut self, name: &str, value: bool) -> &mut Self {
        self.value(name, ffi::UE_ENCODING_VALUE8, ffi::UE_FORMAT_BOOLEAN, &[value.into()])
    }

    /// A number that is shown in hexadecimal.
    pub fn hex(&mut self, name: &str, value: u64) -> &mut Self {
        self.value(name, ffi::UE_ENCODING_VALUE64, ffi::UE_FORMAT_HEX_INT, &value.to_ne_bytes())
    }

    /// An error number, shown by its name.
    pub fn errno(&mut self, name: &str, value: i32) -> &mut Self {
        self.value(name, ffi::UE_ENCODING_VALUE32, ffi::UE_FORMAT_ERRNO, &value.to_ne_bytes())
    }

    /// A process id.
    pub fn pid(&mut self, name: &str, value: i32) -> &mut Self {
        self.value(name, ffi::UE_ENCODING_VALUE32, ffi::UE_FORMAT_PID, &value.to_ne_bytes())
    }

    /// A time, in seconds since 1970.
    pub fn time(&mut self, name: &str, seconds: i64) -> &mut Self {
        self.value(name, ffi::UE_ENCODING_VALUE64, ffi::UE_FORMAT_TIME, &seconds.to_ne_bytes())
    }

    /// A port.
    pub fn port(&mut self, name: &str, value: u16) -> &mut Self {
        self.value(name, ffi::UE_ENCODING_VALUE16, ffi::UE_FORMAT_PORT, &value.to_be_bytes())
    }

    /// An address.
    pub fn ip(&mut self, name: &str, value: IpAddr) -> &mut Self {
        match value {
            IpAddr::V4(v4) => {
                self.value(name, ffi::UE_ENCODING_VALUE32, ffi::UE_FORMAT_IP_ADDRESS, &v4.octets())
            }
            IpAddr::V6(v6) => {
                self.value(name, ffi::UE_ENCODING_VALUE128, ffi::UE_FORMAT_IP_ADDRESS, &v6.octets())
            }
        }
    }

    /// A UUID, in the order of RFC 4122.
    pub fn uuid(&mut self, name: &str, value: &[u8; 16]) -> &mut Self {
        self.value(name, ffi::UE_ENCODING_VALUE128, ffi::UE_FORMAT_UUID, value)
    }

    /// Text.
    pub fn str(&mut self, name: &str, value: &str) -> &mut Self {
        self.builder.span(
            name,
            ffi::UE_ENCODING_STRING_LENGTH16_CHAR8,
            ffi::UE_FORMAT_DEFAULT,
            value.as_bytes(),
        );
        self
    }

    /// Text that is JSON.
    pub fn json(&mut self, name: &str, value: &str) -> &mut Self {
        self.builder.span(
            name,
            ffi::UE_ENCODING_STRING_LENGTH16_CHAR8,
            ffi::UE_FORMAT_STRING_JSON,
            value.as_bytes(),
        );
        self
    }

    /// Bytes.
    pub fn bytes(&mut self, name: &str, value: &[u8]) -> &mut Self {
        self.builder.span(
            name,
            ffi::UE_ENCODING_BINARY_LENGTH16_CHAR8,
            ffi::UE_FORMAT_DEFAULT,
            value,
        );
        self
    }

    /// A value that is missing: null.
    pub fn null(&mut self, name: &str) -> &mut Self {
        self.builder.span(
            name,
            ffi::UE_ENCODING_BINARY_LENGTH16_CHAR8,
            ffi::UE_FORMAT_UNSIGNED_INT,
            &[],
        );
        self
    }

    /// An array of numbers or booleans.
    pub fn array<T: Element>(&mut self, name: &str, values: &[T]) -> &mut Self {
        let mut bytes = Vec::new();
        values.iter().take(u16::MAX.into()).for_each(|value| value.put(&mut bytes));
        self.array_of(name, T::ENCODING, T::FORMAT, values.len());
        self.builder.raw(&bytes);
        self
    }

    /// An array of texts.
    pub fn strs<T: AsRef<str>>(&mut self, name: &str, values: &[T]) -> &mut Self {
        self.array_of(
            name,
            ffi::UE_ENCODING_STRING_LENGTH16_CHAR8,
            ffi::UE_FORMAT_DEFAULT,
            values.len(),
        );
        for value in values.iter().take(u16::MAX.into()) {
            self.builder.counted(value.as_ref().as_bytes());
        }
        self
    }

    /// As many elements as the format can count; more are too large for any listener, and lost.
    fn array_of(&mut self, name: &str, encoding: u8, format: u8, count: usize) {
        self.builder.describe(name, encoding | ffi::UE_ENCODING_VARRAY, format);
        self.builder.raw(&(count.min(u16::MAX.into()) as u16).to_ne_bytes());
    }

    /// A struct with the members that the closure adds, 1 to 127 of them.
    pub fn structure(&mut self, name: &str, add: impl FnOnce(&mut Fields<'_>)) -> &mut Self {
        // SAFETY: the name ends with a NUL.
        self.builder.named(name, |raw, name| unsafe { ffi::ue_builder_struct_begin(raw, name, 0) });
        add(&mut Fields::new(self.builder));
        // SAFETY: the builder is in use by this thread alone.
        unsafe { ffi::ue_builder_struct_end(self.builder.raw.as_ptr()) };
        self
    }

    /// An array of structs: for each item, the members that the closure adds. All have the same
    /// names and types.
    pub fn structures<I: IntoIterator>(
        &mut self,
        name: &str,
        items: I,
        mut add: impl FnMut(&mut Fields<'_>, I::Item),
    ) -> &mut Self {
        let mut items = items.into_iter().peekable();
        if items.peek().is_none() {
            return self.array::<u8>(name, &[]);
        }
        // SAFETY: the name ends with a NUL.
        self.builder.named(name, |raw, name| unsafe {
            ffi::ue_builder_struct_begin(raw, name, ffi::UE_ENCODING_VARRAY);
        });
        for item in items {
            // SAFETY: the builder is in use by this thread alone.
            unsafe { ffi::ue_builder_struct_next(self.builder.raw.as_ptr()) };
            add(&mut Fields::new(self.builder), item);
        }
        // SAFETY: as above.
        unsafe { ffi::ue_builder_struct_end(self.builder.raw.as_ptr()) };
        self
    }

    /// Tags the next field with a number of the provider's own.
    pub fn tag(&mut self, tag: u16) -> &mut Self {
        // SAFETY: the builder is in use by this thread alone.
        unsafe { ffi::ue_builder_tag(self.builder.raw.as_ptr(), tag) };
        self
    }
}
