// SPDX-License-Identifier: MIT
//! Writes spans and events of tracing; tests/bindings/rust_test.py reads them.
use std::fmt::{self, Debug, Display, Formatter};
use std::thread;

use tracing::{debug, error, info, info_span, trace, warn};
use tracing_subscriber::prelude::*;

struct Panics;

impl Debug for Panics {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        info!("of a value");
        write!(to, "begin ")?;
        panic!("it has no text");
    }
}

struct Fails;

impl Display for Fails {
    fn fmt(&self, _: &mut Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

fn hostile() {
    std::panic::set_hook(Box::new(|_| ()));
    info!(panics = ?Panics, fails = %Fails, nul = "\0", big = u128::MAX, nan = f64::NAN);
    info!("{:?} {}", Panics, Fails);
    let span = info_span!("hostile", panics = ?Panics, late = tracing::field::Empty);
    span.record("late", tracing::field::display(Fails));
}

fn main() {
    tracing_subscriber::registry().with(userevents_tracing::layer("RsTracing")).init();
    info!("outside");
    let outer = info_span!("outer", user = "ann", n = -1, late = tracing::field::Empty);
    outer.in_scope(|| {
        warn!(left = 3u64, ratio = 0.5, ok = true, what = ?Some(1), "few {}", "items");
        let inner = info_span!("inner");
        let _entered = inner.enter();
        error!("in inner");
    });
    outer.record("late", 7);
    let of_thread = outer.clone();
    thread::spawn(move || of_thread.in_scope(|| debug!("in a thread"))).join().expect("it ends");
    drop(outer);
    hostile();
    trace!(text = "é".repeat(3000).as_str());
    let long = "x".repeat(1000);
    let before = userevents_tracing::altered();
    info!(a = %long, b = long.as_str(), c = ?long, d = %long, e = 5, "large");
    println!("{} and {}", before, userevents_tracing::altered() - before);
}
