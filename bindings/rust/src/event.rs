// SPDX-License-Identifier: MIT
//! Classic events.
use std::ffi::{CStr, CString};
use std::os::raw::c_int;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, TryLockError};

use crate::error::{check, Error, EINVAL, ENOMEM};
use crate::ffi;
use crate::session::{Loss, Session};

/// A classic event, of [`Session::event`]. Unregistered when dropped.
#[derive(Debug)]
pub struct Event<'session> {
    session: &'session Session,
    raw: NonNull<ffi::ue_event>,
    definition: CString,
    unused: Mutex<Vec<Payload>>,
}

// SAFETY: the library lets any thread test and write an event at any time; payloads that are
// not in use are behind the mutex, and one in use belongs to the thread that took it.
unsafe impl Send for Event<'_> {}
// SAFETY: as above.
unsafe impl Sync for Event<'_> {}

impl<'session> Event<'session> {
    pub(crate) fn new(session: &'session Session, definition: &str) -> Result<Self, Error> {
        let definition = CString::new(definition).map_err(|error| {
            Error::malformed("A definition cannot contain a NUL.", error.nul_position())
        })?;
        check_definition(&definition)?;
        let mut raw = ptr::null_mut();
        // SAFETY: the definition ends with a NUL, and the library copies it.
        let made = unsafe { ffi::ue_event_new(definition.as_ptr(), 0, &mut raw) };
        check(ffi::UE_CALL_REGISTER, made)?;
        let raw = NonNull::new(raw).ok_or_else(|| Error::new(ffi::UE_CALL_REGISTER, -ENOMEM))?;
        let event = Event { session, raw, definition, unused: Mutex::default() };
        // SAFETY: the library has allocated the event, and frees it when this is dropped.
        unsafe { session.register(event.raw.as_ptr()) }?;
        Ok(event)
    }

    /// Whether any tool listens: two loads, a test and a branch.
    #[inline]
    pub fn is_enabled(&self) -> bool {
        // SAFETY: the event lives as long as self.
        unsafe { is_enabled(self.raw.as_ptr()) }
    }

    /// Writes the event, with the values that the closure sets, by name and in any order.
    ///
    /// The closure runs only while the event is enabled. After an error, the event is lost and
    /// counted. The errors are those of a write, `EMSGSIZE` if the values are too long for any
    /// listener; and those of the values: `ENOENT` no such field, `EEXIST` it has its value already,
    /// `EINVAL` it is of another type, `ERANGE` the number does not fit, or the bytes do not fit a
    /// `char[N]`, `ENODATA` a field has no value.
    #[inline]
    pub fn write(&self, set: impl FnOnce(&mut Values<'_>)) -> Result<(), Error> {
        if self.is_enabled() {
            return self.write_enabled(set);
        }
        Ok(())
    }

    #[cold]
    fn write_enabled(&self, set: impl FnOnce(&mut Values<'_>)) -> Result<(), Error> {
        let unused = try_lock(&self.unused).and_then(|mut unused| unused.pop());
        let mut payload = match unused {
            Some(payload) => payload,
            None => Payload::new(&self.definition).map_err(|error| self.not_packed(error))?,
        };
        payload.begin();
        set(&mut Values { payload: &mut payload });
        let result = match payload.finish() {
            Ok(bytes) => self.send(bytes),
            Err(error) => Err(self.not_packed(error)),
        };
        if let Some(mut unused) = try_lock(&self.unused) {
            unused.push(payload);
        }
        result
    }

    fn send(&self, bytes: &[u8]) -> Result<(), Error> {
        let (fd, event) = (self.session.fd(), self.raw.as_ptr());
        // SAFETY: the event lives as long as self, and the bytes until the call returns.
        let result = unsafe { ffi::ue_write(fd, event, bytes.as_ptr().cast(), bytes.len()) };
        check(ffi::UE_CALL_WRITE, result).map(drop)
    }

    fn not_packed(&self, error: c_int) -> Error {
        // SAFETY: the event lives as long as self.
        unsafe { not_packed(self.session.fd(), self.raw.as_ptr(), error) }
    }

    /// The number of lost events, for one reason.
    pub fn losses(&self, reason: Loss) -> u32 {
        // SAFETY: the event lives as long as self.
        unsafe { ffi::ue_event_losses(self.raw.as_ptr(), reason as c_int) }
    }
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing else has the pointer. If the event cannot be unregistered, the
        // library keeps its memory.
        unsafe { ffi::ue_event_free(self.raw.as_ptr()) };
    }
}

/// # Safety
/// The event is initialised.
#[inline]
pub(crate) unsafe fn is_enabled(event: *const ffi::ue_event) -> bool {
    // SAFETY: the caller's promise; the kernel and the library set the word at any time.
    unsafe { (*(*event).word).load(Ordering::Relaxed) != 0 && ffi::ue_enabled(event) != 0 }
}

/// The error of an event that could not be packed, which is counted.
///
/// # Safety
/// The event is initialised.
#[cold]
pub(crate) unsafe fn not_packed(fd: c_int, event: *const ffi::ue_event, error: c_int) -> Error {
    // SAFETY: the caller's promise.
    unsafe { ffi::ue_event_lost(fd, event, error) };
    Error::new(ffi::UE_CALL_BUILD, error)
}

/// Never waits: in the child of a fork, a thread that held the lock does not exist any more.
fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

fn check_definition(definition: &CStr) -> Result<(), Error> {
    let mut fault = ffi::ue_definition_error { offset: 0, length: 0, reason: ptr::null() };
    // SAFETY: the text ends with a NUL; on failure the library sets a static reason.
    unsafe {
        if ffi::ue_definition_check(definition.as_ptr(), 0, &mut fault) >= 0 {
            return Ok(());
        }
        let reason = CStr::from_ptr(fault.reason).to_str().unwrap_or("It is malformed.");
        Err(Error::malformed(reason, fault.offset))
    }
}

/// A payload of the library, and room for C strings.
#[derive(Debug)]
struct Payload {
    raw: NonNull<ffi::ue_payload>,
    name: Vec<u8>,
    text: Vec<u8>,
}

// SAFETY: a payload belongs to one thread at a time, and to no particular one.
unsafe impl Send for Payload {}

impl Payload {
    /// A payload, or the error of the library.
    fn new(definition: &CStr) -> Result<Payload, c_int> {
        let mut raw = ptr::null_mut();
        // SAFETY: the definition ends with a NUL, and the library copies it.
        let made = unsafe { ffi::ue_payload_new(definition.as_ptr(), &mut raw) };
        if made < 0 {
            return Err(made);
        }
        let raw = NonNull::new(raw).ok_or(-ENOMEM)?;
        Ok(Payload { raw, name: Vec::new(), text: Vec::new() })
    }

    fn begin(&mut self) {
        // SAFETY: the payload is not in use.
        unsafe { ffi::ue_payload_begin(self.raw.as_ptr()) }
    }

    /// The packed bytes, or the error of the values.
    fn finish(&mut self) -> Result<&[u8], c_int> {
        let mut bytes = ptr::null();
        // SAFETY: the payload is in use by this thread alone.
        let size = unsafe { ffi::ue_payload_finish(self.raw.as_ptr(), &mut bytes) };
        match usize::try_from(size) {
            // SAFETY: the library has set them, and keeps them until the payload is used again.
            Ok(size) => Ok(unsafe { slice::from_raw_parts(bytes.cast(), size) }),
            Err(_) => Err(c_int::try_from(size).unwrap_or(-EINVAL)),
        }
    }
}

impl Drop for Payload {
    fn drop(&mut self) {
        // SAFETY: nothing else has the pointer.
        unsafe { ffi::ue_payload_free(self.raw.as_ptr()) }
    }
}

/// The text as a C string, in memory that is kept. A NUL in it becomes "?".
fn c_string<'a>(text: &str, memory: &'a mut Vec<u8>) -> &'a CStr {
    memory.clear();
    memory.extend(text.bytes().map(|byte| if byte == 0 { b'?' } else { byte }));
    memory.push(0);
    CStr::from_bytes_with_nul(memory).unwrap_or_default()
}

/// The values of a classic event that is being written.
#[derive(Debug)]
pub struct Values<'a> {
    payload: &'a mut Payload,
}

impl Values<'_> {
    /// An integer of any type.
    pub fn number(&mut self, field: &str, value: impl Number) -> &mut Self {
        let raw = self.payload.raw.as_ptr();
        let name = c_string(field, &mut self.payload.name).as_ptr();
        // SAFETY: the name ends with a NUL. The library keeps the first error.
        unsafe {
            match value.bits() {
                Bits::Signed(value) => ffi::ue_payload_s64(raw, name, value),
                Bits::Unsigned(value) => ffi::ue_payload_u64(raw, name, value),
            }
        };
        self
    }

    /// Text, of a field `char[N]` or `__rel_loc char[]`. A NUL becomes `?`.
    pub fn text(&mut self, field: &str, value: &str) -> &mut Self {
        let text = c_string(value, &mut self.payload.text).as_ptr();
        let name = c_string(field, &mut self.payload.name).as_ptr();
        // SAFETY: both end with a NUL.
        unsafe { ffi::ue_payload_string(self.payload.raw.as_ptr(), name, text) };
        self
    }

    /// The bytes of a field of any type.
    pub fn bytes(&mut self, field: &str, value: &[u8]) -> &mut Self {
        let name = c_string(field, &mut self.payload.name).as_ptr();
        let raw = self.payload.raw.as_ptr();
        // SAFETY: the name ends with a NUL, and the library copies the bytes.
        unsafe { ffi::ue_payload_bytes(raw, name, value.as_ptr().cast(), value.len()) };
        self
    }
}

/// An integer, of 64 bits.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub enum Bits {
    Signed(i64),
    Unsigned(u64),
}

/// The integers of [`Values::number`].
pub trait Number {
    #[doc(hidden)]
    fn bits(self) -> Bits;
}

macro_rules! numbers {
    ($variant:ident, $wide:ty, $($type:ty)*) => {$(
        impl Number for $type {
            fn bits(self) -> Bits {
                Bits::$variant(self as $wide)
            }
        }
    )*};
}
numbers!(Signed, i64, i8 i16 i32 i64 isize);
numbers!(Unsigned, u64, u8 u16 u32 u64 usize);

#[cfg(test)]
mod tests {
    use super::*;

    /// As in the child of a fork, if another thread of its parent held the lock.
    #[test]
    fn a_write_does_not_wait_for_the_lock() -> Result<(), Error> {
        let session = Session::open_or_none();
        let event = session.event("rs_locked u8 a")?;
        let held = event.unused.lock();
        event.write_enabled(|f| {
            f.number("a", 1);
        })?;
        drop(held);
        Ok(())
    }
}
