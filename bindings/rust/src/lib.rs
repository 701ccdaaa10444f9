// SPDX-License-Identifier: MIT
//! Trace events through Linux user_events, or into a ring without them: a binding of
//! libuserevents.
//!
//! ```no_run
//! use userevents::{Level, Session};
//!
//! let session = Session::open_or_none();
//! let request = session.event("shop_request u32 status; __rel_loc char[] path")?;
//! let orders = session.tracepoint("MyCompany_Shop", Level::INFORMATION, 0x1)?;
//!
//! request.write(|f| { f.number("status", 200).text("path", "/index.html"); })?;
//! orders.write("OrderPlaced", |f| { f.u64("order", 17).f64("total", 99.5).str("path", "/"); })?;
//! # Ok::<(), userevents::Error>(())
//! ```
//!
//! A closure runs, and so values are computed, only while the event is enabled. A disabled
//! event costs two loads, a test and a branch.
//!
//! An event borrows its session, so it cannot outlive it:
//!
//! ```compile_fail,E0505
//! let session = userevents::Session::open()?;
//! let event = session.event("shop_request u32 status")?;
//! drop(session);
//! event.write(|f| { f.number("status", 200); })?;
//! # Ok::<(), userevents::Error>(())
//! ```
//!
//! ```compile_fail,E0597
//! let event = {
//!     let session = userevents::Session::open()?;
//!     session.event("shop_request u32 status")?
//! };
//! # drop(event);
//! # Ok::<(), userevents::Error>(())
//! ```
//!
//! For events in `static` variables, leak the session: `Box::leak(Box::new(session))` has the
//! lifetime `'static`.
//!
//! Sessions, events and tracepoints are [`Send`] and [`Sync`]. In the child of a fork they are
//! registered as in the parent. Nothing here is for signal handlers.
//!
//! The fields of an event that is being written stay within its closure:
//!
//! ```compile_fail,E0521
//! let session = userevents::Session::open()?;
//! let event = session.event("shop_request u32 status")?;
//! let mut kept = None;
//! event.write(|f| { kept = Some(f); })?;
//! # Ok::<(), userevents::Error>(())
//! ```
//! Elements of arrays are of this crate's types, as their bytes must match their encoding:
//!
//! ```compile_fail,E0277
//! #[derive(Clone, Copy)]
//! struct Mine;
//! impl userevents::Element for Mine {
//!     const FORMAT: u8 = 0;
//!     const ENCODING: u8 = 5;
//!     fn put(self, _: &mut Vec<u8>) {}
//! }
//! ```
//!
//! Later versions may have more reasons for a loss, so a match needs another arm, `_`:
//!
//! ```compile_fail,E0004
//! use userevents::Loss;
//!
//! fn is_mistake(loss: Loss) -> bool {
//!     match loss {
//!         Loss::TooLarge | Loss::NoRights | Loss::CaptureFull | Loss::Interrupted => false,
//!         Loss::Other => true,
//!     }
//! }
//! ```
//!
//! Events whose fields are known at compile time cost as little as in C: [`event!`] and
//! [`eventheader!`].
#![deny(missing_docs, unsafe_op_in_unsafe_fn)]

mod builder;
mod defined;
mod error;
mod event;
mod ffi;
mod packed;
mod session;
#[doc(hidden)]
pub mod text;
mod tracepoint;

pub use builder::{Element, Fields};
#[doc(hidden)]
pub use defined::{described, described_size, fixed_size, kind, Parts, Text};
pub use defined::{Defined, DefinedTracepoint};
pub use error::Error;
pub use event::{Event, Number, Values};
#[doc(hidden)]
pub use packed::{Described, Located, Record as PackedRecord};
pub use session::{version, Loss, Session};
pub use tracepoint::{Activity, Level, Opcode, Record, Tracepoint};

/// The programs of the README compile and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
