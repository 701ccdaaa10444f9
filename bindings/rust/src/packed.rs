// SPDX-License-Identifier: MIT
//! How values are packed into the record of an event that is defined at compile time.
use std::marker::PhantomData;
use std::ptr;

use crate::ffi;

/// A record that is being packed: bytes one after the other, and, of classic events, a second
/// place for the bytes that locations refer to. It knows whether all bytes are there.
#[doc(hidden)]
#[derive(Debug)]
pub struct Record<'room> {
    base: *mut u8,
    at: usize,
    end: usize,
    located: usize,
    size: usize,
    room: PhantomData<&'room mut u8>,
}

impl Record<'_> {
    /// # Safety
    /// The room has so many bytes, as long as the record lives.
    #[inline(always)]
    pub(crate) unsafe fn new(base: *mut u8, size: usize) -> Self {
        Record { base, at: 0, end: size, located: size, size, room: PhantomData }
    }

    /// The fixed part has so many bytes, and what locations refer to follows it.
    #[inline(always)]
    pub fn begin_classic(&mut self, fixed: usize) {
        if self.at == 0 && fixed <= self.size {
            self.end = fixed;
            self.located = fixed;
        }
    }

    /// Puts bytes at the next place.
    #[inline(always)]
    pub fn bytes(&mut self, bytes: &[u8]) {
        assert!(bytes.len() <= self.end - self.at);
        // SAFETY: the bytes fit before the end, which is in the room.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.base.add(self.at), bytes.len()) };
        self.at += bytes.len();
    }

    /// Puts a location, and behind the fixed part the bytes and an end.
    #[inline(always)]
    fn located(&mut self, bytes: &[u8], end: &[u8]) {
        let size = bytes.len() + end.len();
        assert!(size <= self.size - self.located);
        let location = (size << 16 | (self.located - self.at - 4)) as u32;
        // SAFETY: both fit behind the fixed part, and that is in the room.
        unsafe {
            let to = self.base.add(self.located);
            ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
            ptr::copy_nonoverlapping(end.as_ptr(), to.add(bytes.len()), end.len());
        }
        self.bytes(&location.to_ne_bytes());
        self.located += size;
    }

    #[inline(always)]
    pub(crate) fn is_complete(&self) -> bool {
        self.at == self.end && self.located == self.size
    }
}

/// A value of a classic event.
#[doc(hidden)]
pub trait Located: sealed::Sealed {
    /// Its size in the fixed part.
    const FIXED: usize;

    /// Its size behind that.
    fn located(&self) -> usize;

    fn put(&self, record: &mut Record<'_>);
}

/// A value of an EventHeader event.
#[doc(hidden)]
pub trait Described: sealed::Sealed {
    /// Its type in the description.
    const KIND: &'static [u8];

    /// Its size in the record.
    fn size(&self) -> usize;

    fn put(&self, record: &mut Record<'_>);
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! number {
    ($($kind:ident $encoding:ident $format:ident;)+) => { $(
        impl sealed::Sealed for $kind {}
        impl sealed::Sealed for &[$kind] {}

        impl Described for $kind {
            const KIND: &'static [u8] =
                &[ffi::$encoding | ffi::UE_ENCODING_CHAIN, ffi::$format];

            #[inline(always)]
            fn size(&self) -> usize {
                std::mem::size_of::<$kind>()
            }

            #[inline(always)]
            fn put(&self, record: &mut Record<'_>) {
                record.bytes(&self.to_ne_bytes());
            }
        }
    )+ };
}

number! {
    u8 UE_ENCODING_VALUE8 UE_FORMAT_UNSIGNED_INT;
    u16 UE_ENCODING_VALUE16 UE_FORMAT_UNSIGNED_INT;
    u32 UE_ENCODING_VALUE32 UE_FORMAT_UNSIGNED_INT;
    u64 UE_ENCODING_VALUE64 UE_FORMAT_UNSIGNED_INT;
    i8 UE_ENCODING_VALUE8 UE_FORMAT_SIGNED_INT;
    i16 UE_ENCODING_VALUE16 UE_FORMAT_SIGNED_INT;
    i32 UE_ENCODING_VALUE32 UE_FORMAT_SIGNED_INT;
    i64 UE_ENCODING_VALUE64 UE_FORMAT_SIGNED_INT;
    f32 UE_ENCODING_VALUE32 UE_FORMAT_FLOAT;
    f64 UE_ENCODING_VALUE64 UE_FORMAT_FLOAT;
}

macro_rules! array {
    ($($kind:ident $encoding:ident $format:ident;)+) => { $(
        impl Described for &[$kind] {
            const KIND: &'static [u8] = &[
                ffi::$encoding | ffi::UE_ENCODING_VARRAY | ffi::UE_ENCODING_CHAIN, ffi::$format];

            #[inline(always)]
            fn size(&self) -> usize {
                2 + std::mem::size_of_val(*self)
            }

            #[inline(always)]
            fn put(&self, record: &mut Record<'_>) {
                record.bytes(&(self.len() as u16).to_ne_bytes());
                for value in *self {
                    record.bytes(&value.to_ne_bytes());
                }
            }
        }
    )+ };
}

array! {
    u16 UE_ENCODING_VALUE16 UE_FORMAT_UNSIGNED_INT;
    u32 UE_ENCODING_VALUE32 UE_FORMAT_UNSIGNED_INT;
    u64 UE_ENCODING_VALUE64 UE_FORMAT_UNSIGNED_INT;
    i8 UE_ENCODING_VALUE8 UE_FORMAT_SIGNED_INT;
    i16 UE_ENCODING_VALUE16 UE_FORMAT_SIGNED_INT;
    i32 UE_ENCODING_VALUE32 UE_FORMAT_SIGNED_INT;
    i64 UE_ENCODING_VALUE64 UE_FORMAT_SIGNED_INT;
    f32 UE_ENCODING_VALUE32 UE_FORMAT_FLOAT;
    f64 UE_ENCODING_VALUE64 UE_FORMAT_FLOAT;
}

macro_rules! located_number {
    ($($kind:ident)+) => { $(
        impl Located for $kind {
            const FIXED: usize = std::mem::size_of::<$kind>();

            #[inline(always)]
            fn located(&self) -> usize {
                0
            }

            #[inline(always)]
            fn put(&self, record: &mut Record<'_>) {
                record.bytes(&self.to_ne_bytes());
            }
        }
    )+ };
}

located_number! { u8 u16 u32 u64 i8 i16 i32 i64 }

impl sealed::Sealed for &str {}
impl sealed::Sealed for bool {}

impl Located for &str {
    const FIXED: usize = 4;

    #[inline(always)]
    fn located(&self) -> usize {
        self.len() + 1
    }

    #[inline(always)]
    fn put(&self, record: &mut Record<'_>) {
        record.located(self.as_bytes(), b"\0");
    }
}

impl Located for &[u8] {
    const FIXED: usize = 4;

    #[inline(always)]
    fn located(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn put(&self, record: &mut Record<'_>) {
        record.located(self, b"");
    }
}

#[inline(always)]
fn counted(record: &mut Record<'_>, bytes: &[u8]) {
    record.bytes(&(bytes.len() as u16).to_ne_bytes());
    record.bytes(bytes);
}

impl Described for &str {
    const KIND: &'static [u8] = &[ffi::UE_ENCODING_STRING_LENGTH16_CHAR8];

    #[inline(always)]
    fn size(&self) -> usize {
        2 + self.len()
    }

    #[inline(always)]
    fn put(&self, record: &mut Record<'_>) {
        counted(record, self.as_bytes());
    }
}

impl Described for &[u8] {
    const KIND: &'static [u8] = &[ffi::UE_ENCODING_BINARY_LENGTH16_CHAR8];

    #[inline(always)]
    fn size(&self) -> usize {
        2 + self.len()
    }

    #[inline(always)]
    fn put(&self, record: &mut Record<'_>) {
        counted(record, self);
    }
}

impl Described for bool {
    const KIND: &'static [u8] =
        &[ffi::UE_ENCODING_VALUE8 | ffi::UE_ENCODING_CHAIN, ffi::UE_FORMAT_BOOLEAN];

    #[inline(always)]
    fn size(&self) -> usize {
        1
    }

    #[inline(always)]
    fn put(&self, record: &mut Record<'_>) {
        record.bytes(&[u8::from(*self)]);
    }
}
