// SPDX-License-Identifier: MIT
//! Tracepoints and their EventHeader events.
use std::ffi::CString;
use std::os::raw::c_int;
use std::ptr::{self, NonNull};

use crate::builder::{Builder, Fields};
use crate::error::{check, Error, E2BIG, EINVAL, ENOMEM};
use crate::event::{is_enabled, not_packed};
use crate::ffi;
use crate::session::{Loss, Session};

/// The severity of a tracepoint's events: 1 to 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(pub u8);

impl Level {
    /// 1
    pub const CRITICAL: Level = Level(1);
    /// 2
    pub const ERROR: Level = Level(2);
    /// 3
    pub const WARNING: Level = Level(3);
    /// 4
    pub const INFORMATION: Level = Level(4);
    /// 5
    pub const VERBOSE: Level = Level(5);
}

/// What an event is in its activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opcode(pub u8);

impl Opcode {
    /// 0: nothing special
    pub const INFO: Opcode = Opcode(0);
    /// 1: the first event of an activity
    pub const ACTIVITY_START: Opcode = Opcode(1);
    /// 2: the last one
    pub const ACTIVITY_STOP: Opcode = Opcode(2);
}

/// An id that the events of one piece of work share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Activity(pub [u8; 16]);

impl Activity {
    /// A new id, from the kernel. An error is that of getrandom(2).
    pub fn new() -> Result<Activity, Error> {
        let mut made = ffi::ue_activity { id: [0; 16] };
        // SAFETY: the struct lives until the call returns.
        check(ffi::UE_CALL_WRITE, unsafe { ffi::ue_activity_create(&mut made) })?;
        Ok(Activity(made.id))
    }
}

/// A tracepoint of EventHeader events, of [`Session::tracepoint`]. Unregistered when dropped.
#[derive(Debug)]
pub struct Tracepoint<'session> {
    session: &'session Session,
    raw: NonNull<ffi::ue_tracepoint>,
    event: *mut ffi::ue_event,
}

// SAFETY: the library lets any thread test and write it at any time.
unsafe impl Send for Tracepoint<'_> {}
// SAFETY: as above.
unsafe impl Sync for Tracepoint<'_> {}

impl<'session> Tracepoint<'session> {
    pub(crate) fn new(
        session: &'session Session,
        provider: &str,
        group: &str,
        level: Level,
        keyword: u64,
    ) -> Result<Self, Error> {
        let malformed = |_| Error::new(ffi::UE_CALL_REGISTER, -EINVAL);
        let provider = CString::new(provider).map_err(malformed)?;
        let group = CString::new(group).map_err(malformed)?;
        let mut raw = ptr::null_mut();
        // SAFETY: both texts end with a NUL, and the library copies them.
        let made = unsafe {
            ffi::ue_tracepoint_new(
                provider.as_ptr(),
                group.as_ptr(),
                level.0.into(),
                keyword,
                0,
                &mut raw,
            )
        };
        check(ffi::UE_CALL_REGISTER, made)?;
        let raw = NonNull::new(raw).ok_or_else(|| Error::new(ffi::UE_CALL_REGISTER, -ENOMEM))?;
        // The event is the first member.
        let event = raw.as_ptr().cast();
        let tracepoint = Tracepoint { session, raw, event };
        // SAFETY: as above.
        unsafe { session.register(event) }?;
        Ok(tracepoint)
    }

    /// Whether any tool listens: two loads, a test and a branch.
    #[inline]
    pub fn is_enabled(&self) -> bool {
        // SAFETY: the event is part of the tracepoint.
        unsafe { is_enabled(self.event) }
    }

    /// Writes an event with the fields that the closure adds.
    ///
    /// The closure runs only while the tracepoint is enabled. After an error, the event is lost
    /// and counted. The errors are those of a write, and of fields: `EINVAL` a NUL in a name,
    /// elements of an array of structs that differ; `E2BIG` structs nested deeper than 8, or with
    /// more than 127 members.
    #[inline]
    pub fn write(&self, name: &str, add: impl FnOnce(&mut Fields<'_>)) -> Result<(), Error> {
        self.event(name).write(add)
    }

    /// An event with more than a name and fields.
    pub fn event<'a>(&'a self, name: &'a str) -> Record<'a> {
        Record { tracepoint: self, name, options: 0, activity: None, related: None }
    }

    /// The number of lost events, for one reason.
    pub fn losses(&self, reason: Loss) -> u32 {
        // SAFETY: the event is part of the tracepoint.
        unsafe { ffi::ue_event_losses(self.event, reason as c_int) }
    }
}

impl Drop for Tracepoint<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing else has the pointer. If it cannot be unregistered, the library
        // keeps its memory.
        unsafe { ffi::ue_event_free(self.raw.as_ptr().cast()) };
    }
}

/// An event of a tracepoint that is about to be written, of [`Tracepoint::event`].
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    tracepoint: &'a Tracepoint<'a>,
    name: &'a str,
    options: u64,
    activity: Option<Activity>,
    related: Option<Activity>,
}

impl<'a> Record<'a> {
    /// A lasting number of the event, and the version of its fields.
    #[must_use]
    pub fn id(mut self, id: u16, version: u8) -> Self {
        self.options = self.options & !0xffff_ff00 | u64::from(id) << 16 | u64::from(version) << 8;
        self
    }

    /// What the event is in its activity.
    #[must_use]
    pub fn opcode(mut self, opcode: Opcode) -> Self {
        self.options = self.options & !(0xff << 48) | u64::from(opcode.0) << 48;
        self
    }

    /// A number of the provider's own.
    #[must_use]
    pub fn tag(mut self, tag: u16) -> Self {
        self.options = self.options & !(0xffff << 32) | u64::from(tag) << 32;
        self
    }

    /// The activity that the event is part of.
    #[must_use]
    pub fn activity(mut self, activity: Activity) -> Self {
        self.activity = Some(activity);
        self
    }

    /// Of the event that starts an activity, the one that the activity is part of.
    #[must_use]
    pub fn related(mut self, related: Activity) -> Self {
        self.related = Some(related);
        self
    }

    /// As [`Tracepoint::write`].
    #[inline]
    pub fn write(self, add: impl FnOnce(&mut Fields<'_>)) -> Result<(), Error> {
        if self.tracepoint.is_enabled() {
            return self.write_enabled(add);
        }
        Ok(())
    }

    #[cold]
    fn write_enabled(self, add: impl FnOnce(&mut Fields<'_>)) -> Result<(), Error> {
        let mut builder = Builder::take().ok_or_else(|| self.not_packed(-ENOMEM))?;
        builder.begin(self.name, self.options);
        add(&mut Fields::new(&mut builder));
        let result = builder.write(
            self.tracepoint.session.fd(),
            self.tracepoint.raw,
            self.activity,
            self.related,
        );
        builder.keep();
        // The write of an event that was built has no EINVAL of its own, nor E2BIG.
        let is_of_fields = result == -EINVAL || result == -E2BIG;
        let call = if is_of_fields { ffi::UE_CALL_BUILD } else { ffi::UE_CALL_WRITE };
        check(call, result).map(drop)
    }

    fn not_packed(&self, error: c_int) -> Error {
        // SAFETY: the event is part of the tracepoint.
        unsafe { not_packed(self.tracepoint.session.fd(), self.tracepoint.event, error) }
    }
}
