// SPDX-License-Identifier: MIT
//! Errors of the library.
use std::ffi::CStr;
use std::fmt;
use std::os::raw::c_int;

use crate::ffi;

/// An error: its text names the cause and the fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    call: c_int,
    errno: i32,
    /// Of a definition: the reason and the byte.
    fault: Option<(&'static str, usize)>,
}

pub(crate) const E2BIG: c_int = 7;
pub(crate) const EBADF: c_int = 9;
pub(crate) const EINVAL: c_int = 22;
pub(crate) const EMSGSIZE: c_int = 90;
pub(crate) const ENOMEM: c_int = 12;

impl Error {
    pub(crate) fn new(call: c_int, result: c_int) -> Error {
        Error { call, errno: -result, fault: None }
    }

    pub(crate) fn malformed(reason: &'static str, offset: usize) -> Error {
        Error { call: ffi::UE_CALL_REGISTER, errno: EINVAL, fault: Some((reason, offset)) }
    }

    /// The number, as in errno(3): `ENOENT` is 2.
    pub fn errno(&self) -> i32 {
        self.errno
    }
}

/// 0 and more, or the error of a call.
pub(crate) fn check(call: c_int, result: c_int) -> Result<c_int, Error> {
    if result < 0 {
        return Err(Error::new(call, result));
    }
    Ok(result)
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((reason, offset)) = self.fault {
            return write!(to, "byte {offset}: {reason}");
        }
        // SAFETY: the function returns a static string for any numbers.
        let sentence = unsafe { CStr::from_ptr(ffi::ue_explain(self.call, -self.errno)) };
        to.write_str(&sentence.to_string_lossy())
    }
}

impl std::error::Error for Error {}
