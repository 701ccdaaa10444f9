// SPDX-License-Identifier: MIT
//! Logs a record of each level; tests/bindings/rust_test.py reads them.
use log::{LevelFilter, Log, Metadata, Record};

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
}
