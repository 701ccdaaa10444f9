// SPDX-License-Identifier: MIT
//! A logger of the crate `log` that writes each record as a trace event.
//!
//! ```
//! userevents_log::init("MyCompany_Shop", None)?;
//! log::set_max_level(log::LevelFilter::Trace);
//! log::warn!("{} left", 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each level is a tracepoint of the provider, from `MyCompany_Shop_L2K1` (error) to `L5K1` (debug
//! and trace). A record is formatted only if a tool listens to its level, or another logger wants
//! it. An event `Log` has the fields `message`, of at most 2048 bytes, `target`, `file` and `line`;
//! a text that is cut ends with `...`. A value of the message whose `Display` fails or panics ends the
//! message; the panic goes no further. [`altered`] counts both.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use std::sync::atomic::{AtomicU64, Ordering};

use log::{Level, Log, Metadata, Record, SetLoggerError};
use userevents::text::Fitter;
use userevents::{Session, Tracepoint};

/// Bytes that a message has at most.
const MESSAGE: usize = 2048;
/// And a target or file.
const NAME: usize = 512;

static ALTERED: AtomicU64 = AtomicU64::new(0);

/// How many texts were cut, or failed or panicked, in this process.
pub fn altered() -> u64 {
    ALTERED.load(Ordering::Relaxed)
}

/// The logger.
pub struct Logger {
    tracepoints: [Option<Tracepoint<'static>>; 4],
    next: Option<Box<dyn Log>>,
}

/// Makes a logger the program's. next: another one, which gets each record, too.
pub fn init(provider: &str, next: Option<Box<dyn Log>>) -> Result<(), SetLoggerError> {
    let session: &'static Session = Box::leak(Box::new(Session::open_or_none()));
    log::set_boxed_logger(Box::new(Logger::new(session, provider, next)))
}

impl Logger {
    /// A logger. A level whose tracepoint cannot be registered is written nowhere.
    pub fn new(session: &'static Session, provider: &str, next: Option<Box<dyn Log>>) -> Logger {
        let of = |level| session.tracepoint(provider, level, 1).ok();
        use userevents::Level;
        let levels = [Level::ERROR, Level::WARNING, Level::INFORMATION, Level::VERBOSE];
        Logger { tracepoints: levels.map(of), next }
    }

    fn of(&self, level: Level) -> Option<&Tracepoint<'static>> {
        let tracepoint = match level {
            Level::Error => &self.tracepoints[0],
            Level::Warn => &self.tracepoints[1],
            Level::Info => &self.tracepoints[2],
            Level::Debug | Level::Trace => &self.tracepoints[3],
        };
        tracepoint.as_ref().filter(|tracepoint| tracepoint.is_enabled())
    }
}

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.of(metadata.level()).is_some()
            || self.next.as_ref().map_or(false, |next| next.enabled(metadata))
    }

    fn log(&self, record: &Record<'_>) {
        if let Some(tracepoint) = self.of(record.level()) {
            // A record that is lost is counted.
            let _ = tracepoint.write("Log", |fields| {
                let mut fitter = Fitter::new(fields, "Log");
                fitter.value("message", *record.args(), MESSAGE);
                fitter.str("target", record.target(), NAME);
                if let (Some(file), Some(line)) = (record.file(), record.line()) {
                    fitter.str("file", file, NAME);
                    fitter.number("line", |fields| {
                        fields.u32("line", line);
                    });
                }
                ALTERED.fetch_add(fitter.altered, Ordering::Relaxed);
            });
        }
        if let Some(next) = self.next.as_ref().filter(|next| next.enabled(record.metadata())) {
            next.log(record);
        }
    }

    fn flush(&self) {
        if let Some(next) = &self.next {
            next.flush();
        }
    }
}
