// SPDX-License-Identifier: MIT
//! Logs a record of each level; tests/bindings/rust_test.py reads them.
use std::fmt::{self, Display, Formatter};

use log::{LevelFilter, Log, Metadata, Record};

struct Panics;

impl Display for Panics {
    fn fmt(&self, _: &mut Formatter<'_>) -> fmt::Result {
        panic!("it has no text");
    }
}

struct Fails;

impl Display for Fails {
    fn fmt(&self, _: &mut Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

/// Its text has no end.
struct Endless;

impl Display for Endless {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        loop {
            to.write_str("é")?;
        }
    }
}

struct Prints;

impl Log for Prints {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::Level::Warn
    }

    fn log(&self, record: &Record<'_>) {
        eprintln!("{}", record.args().to_string().len());
    }

    fn flush(&self) {}
}

fn main() {
    userevents_log::init("RsLog", Some(Box::new(Prints))).expect("there is no other logger");
    log::set_max_level(LevelFilter::Trace);
    log::error!("error {}", 1);
    log::warn!("{}", "é".repeat(3000));
    log::info!(target: "shop", "info");
    log::debug!("debug");
    log::trace!("trace");
    std::panic::set_hook(Box::new(|_| ()));
    log::info!(target: "a\0b", "begin {}", Panics);
    log::info!("begin {}", Fails);
    log::info!("{}{}", Endless, Panics);
    log::info!(target: &"t".repeat(100_000), "{}\0", "x".repeat(2047));
    log::info!("{}{}", "x".repeat(2040), Fails);
    println!("{}", userevents_log::altered());
}
