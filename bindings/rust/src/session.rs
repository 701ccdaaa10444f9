// SPDX-License-Identifier: MIT
//! Sessions.
use std::ffi::CString;
use std::os::raw::c_int;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::io::{AsRawFd, BorrowedFd};
use std::path::Path;
use std::{mem, ptr};

use crate::error::{check, Error, EBADF, EINVAL};
use crate::event::Event;
use crate::ffi;
use crate::tracepoint::{Level, Tracepoint};

/// A connection to user_events, or to what is in its place. Closed when dropped.
#[derive(Debug)]
pub struct Session {
    fd: c_int,
}

/// Why an event was lost. Later versions may have more reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[non_exhaustive]
pub enum Loss {
    /// It was too large for a listener.
    TooLarge = 0,
    /// The process had no right to write it.
    NoRights = 1,
    /// The reader of a capture or ring was behind.
    CaptureFull = 2,
    /// A signal interrupted the write.
    Interrupted = 3,
    /// Another reason.
    Other = 4,
}

impl Session {
    /// Opens what `ue_open(NULL)` finds: `USEREVENTS_FD`, `USEREVENTS_RING`, `USEREVENTS_SOCKET`,
    /// or the kernel's file. It waits for the collector of `USEREVENTS_SOCKET` for at most one
    /// second.
    pub fn open() -> Result<Session, Error> {
        Session::open_with(ptr::null())
    }

    /// As [`Session::open`], or a session that writes nothing, for programs that run as well
    /// without user_events.
    pub fn open_or_none() -> Session {
        Session::open().unwrap_or(Session { fd: -EBADF })
    }

    /// Opens a user_events_data file or a ring.
    pub fn open_path(path: impl AsRef<Path>) -> Result<Session, Error> {
        let path = CString::new(path.as_ref().as_os_str().as_bytes())
            .map_err(|_| Error::new(ffi::UE_CALL_OPEN, -EINVAL))?;
        Session::open_with(&ffi::ue_open_opts { path: path.as_ptr(), ..options() })
    }

    /// Opens a duplicate of a descriptor of user_events_data, a ring, or a capture.
    pub fn open_fd(fd: BorrowedFd<'_>) -> Result<Session, Error> {
        let flags = ffi::UE_OPEN_FD;
        Session::open_with(&ffi::ue_open_opts { fd: fd.as_raw_fd(), flags, ..options() })
    }

    fn open_with(opts: *const ffi::ue_open_opts) -> Result<Session, Error> {
        // SAFETY: opts is NULL or refers to a struct that lives until the call returns.
        let fd = check(ffi::UE_CALL_OPEN, unsafe { ffi::ue_open(opts) })?;
        Ok(Session { fd })
    }

    /// Registers a classic event, `"name type field; type field"`.
    ///
    /// For a session that writes nothing, the event is disabled. A malformed definition is an
    /// error in any case.
    pub fn event(&self, definition: &str) -> Result<Event<'_>, Error> {
        Event::new(self, definition)
    }

    /// Registers a tracepoint of EventHeader events.
    ///
    /// `provider`: a name, `[A-Za-z_][A-Za-z0-9_]*` is best. `keyword`: bits that the provider
    /// defines.
    pub fn tracepoint(
        &self,
        provider: &str,
        level: Level,
        keyword: u64,
    ) -> Result<Tracepoint<'_>, Error> {
        Tracepoint::new(self, provider, "", level, keyword)
    }

    /// The same in a group, of lower-case letters and digits.
    pub fn tracepoint_in_group(
        &self,
        provider: &str,
        group: &str,
        level: Level,
        keyword: u64,
    ) -> Result<Tracepoint<'_>, Error> {
        Tracepoint::new(self, provider, group, level, keyword)
    }

    /// Whether there is something to write to.
    pub fn is_open(&self) -> bool {
        self.fd >= 0
    }

    /// The number of lost events, for one reason.
    pub fn losses(&self, reason: Loss) -> u64 {
        // SAFETY: any numbers are allowed.
        u64::try_from(unsafe { ffi::ue_session_losses(self.fd, reason as c_int) }).unwrap_or(0)
    }

    pub(crate) fn fd(&self) -> c_int {
        self.fd
    }

    /// # Safety
    /// The event is initialised and stays at its address until it is unregistered.
    pub(crate) unsafe fn register(&self, event: *mut ffi::ue_event) -> Result<(), Error> {
        if self.is_open() {
            // SAFETY: the caller's promise.
            check(ffi::UE_CALL_REGISTER, unsafe { ffi::ue_register(self.fd, event) })?;
        }
        Ok(())
    }
}

fn options() -> ffi::ue_open_opts {
    ffi::ue_open_opts {
        size: mem::size_of::<ffi::ue_open_opts>(),
        path: ptr::null(),
        fd: 0,
        flags: 0,
        payload_max: 0,
        spare: 0,
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.is_open() {
            // SAFETY: the descriptor is the session's, and no event borrows it any more.
            unsafe { ffi::ue_close(self.fd) };
        }
    }
}

/// The version of libuserevents that the program runs with: major, minor, patch.
pub fn version() -> (u32, u32, u32) {
    // SAFETY: it takes nothing.
    let number = unsafe { ffi::ue_version() };
    (number >> 16, number >> 8 & 0xff, number & 0xff)
}
