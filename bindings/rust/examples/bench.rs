// SPDX-License-Identifier: MIT
//! bench RING: the cost of events in Rust, as rows NAME <tab> nanoseconds, for
//! scripts/bench-bindings. The shortest of many short loops counts, as others were interrupted.
#![forbid(unsafe_code)]
use std::time::Instant;

use userevents::{event, eventheader, tracepoint, Level, Session};

event! {
    static REQUEST = "bench_rs" { status: u32, latency_ns: u64, path: str };
    static NUMBER = "bench_rs_number" { status: u32 };
}
tracepoint! {
    static ORDERS = "BenchRs", Level::INFORMATION, 0x1;
}
eventheader! {
    static ORDER = ORDERS, "Order" { order: u64, total: f64, path: str };
}

#[inline(never)]
fn measure(name: &str, call: impl Fn()) {
    const CALLS: u32 = 2000;
    let mut best = f64::MAX;
    for _ in 0..300 {
        let begin = Instant::now();
        for _ in 0..CALLS {
            call();
        }
        best = best.min(begin.elapsed().as_nanos() as f64 / f64::from(CALLS));
    }
    println!("rust_{name}\t{best:.1}");
}

fn measure_macros(suffix: &str) {
    let path = &"/index.html".to_owned();
    measure(&format!("event_number{suffix}"), || {
        let _ = NUMBER.write(200);
    });
    measure(&format!("event{suffix}"), || {
        let _ = REQUEST.write(200, 1_234_567, path);
    });
    measure(&format!("eventheader{suffix}"), || {
        let _ = ORDER.write(17, 99.5, path);
    });
}

/// The most memory that the process had, in KiB.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("there is /proc");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).expect("it has a number")
}

/// KiB by which the process grows while it writes so many events of different values.
fn measure_growth(name: &str, write: impl Fn(u64)) {
    write(0);
    let before = peak_kib();
    (0..1_000_000).for_each(write);
    println!("rust_{name}_kib_after_1000000_events\t{}", peak_kib() - before);
}

fn main() -> Result<(), userevents::Error> {
    let ring = std::env::args().nth(1).expect("the argument is a ring");
    measure_macros("_off");
    let session = Session::open_path(ring)?;
    REQUEST.register(&session)?;
    NUMBER.register(&session)?;
    ORDERS.register(&session)?;
    assert!(REQUEST.is_enabled() && ORDERS.is_enabled(), "is the argument a ring?");
    measure_macros("");
    let request = session.event("bench_rs2 u32 status; u64 latency_ns; __rel_loc char[] path")?;
    let orders = session.tracepoint("BenchRs2", Level::INFORMATION, 0x1)?;
    measure("runtime_classic", || {
        let _ = request.write(|f| {
            f.number("status", 200).number("latency_ns", 1_234_567u64).text("path", "/index.html");
        });
    });
    measure("runtime_eventheader", || {
        let _ = orders.write("Order", |f| {
            f.u64("order", 17).f64("total", 99.5).str("path", "/index.html");
        });
    });
    measure_growth("eventheader", |number| {
        let _ = ORDER.write(number, 99.5, &format!("/{number}"));
    });
    measure_growth("runtime", |number| {
        let _ = orders.write("Order", |f| {
            f.u64("order", number).str("path", &format!("/{number}"));
        });
    });
    Ok(())
}
