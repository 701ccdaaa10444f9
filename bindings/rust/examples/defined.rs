// SPDX-License-Identifier: MIT
//! Events that are defined at compile time, of each kind; tests/bindings/rust_test.py reads them.
#![forbid(unsafe_code)]
use std::thread;

use userevents::{event, eventheader, tracepoint, Activity, Error, Level, Loss, Session};

event! {
    /// Every type of a classic event.
    pub static ALL = "rs_all" {
        a: u8, b: u16, c: u32, d: u64, e: i8, f: i16, g: i32, h: i64, text: str, raw: [u8],
        last: u8,
    };
    static EMPTY = "rs_empty" {};
    static SHARED = "rs_shared" { thread: u32, i: u32 };
}
tracepoint! {
    static SHOP = "RsDefined", Level::VERBOSE, 0xff;
    static GROUPED = "RsDefined", Level(9), 0, "shop2";
}
eventheader! {
    static NUMBERS = SHOP, "Numbers" {
        a: u8, b: u16, c: u32, d: u64, e: i8, f: i16, g: i32, h: i64, x: f32, y: f64, z: bool,
    };
    static OTHERS = SHOP, "Others" { text: str, raw: [u8], small: [u16], real: [f64], none: [i32] };
    static START = SHOP, "Start", id 7, version 1, opcode 1, tag 9 { step: u8 };
    static NOTHING = GROUPED, "Nothing" {};
}

fn write_all() -> Result<(), Error> {
    ALL.write(1, 2, 3, 1 << 63, -1, -2, -3, i64::MIN, "/café", &[1, 255], 9)?;
    ALL.write(0, 0, 0, 0, 0, 0, 0, 0, "", &[], 0)?;
    EMPTY.write()?;
    NUMBERS.write(255, 65535, 1 << 31, 1 << 63, -1, -2, -3, -4, 0.5, 0.1, true)?;
    OTHERS.write("hé\0x", b"ab", &[1, 65535], &[0.5], &[])?;
    START.write_activity(Activity([1; 16]), Some(Activity([2; 16])), 3)?;
    START.write_activity(Activity([1; 16]), None, 4)?;
    NOTHING.write()
}

/// Payloads around the sizes at which they are packed elsewhere, or not at all.
fn write_large() {
    for size in [2030, 2048, 2100, 4000] {
        let raw = vec![b'x'; size];
        ALL.write(0, 0, 0, 0, 0, 0, 0, 0, "", &raw, 7).expect("it fits");
        OTHERS.write(&"y".repeat(size), &[], &[], &[], &[]).expect("it fits");
    }
    for size in [5000, 9000, 70_000, 1 << 20] {
        let raw = vec![b'x'; size];
        for result in [
            ALL.write(0, 0, 0, 0, 0, 0, 0, 0, "", &raw, 7),
            OTHERS.write("", &raw, &[], &[], &[]),
            OTHERS.write("", &[], &[], &vec![0.5; size], &[]),
        ] {
            assert_eq!(result.expect_err("it is too large").errno(), 90);
        }
    }
    assert_eq!((ALL.losses(Loss::TooLarge), SHOP.losses(Loss::TooLarge)), (4, 8));
}

fn write_from_threads() {
    let writers: Vec<_> = (0..8)
        .map(|thread| {
            thread::spawn(move || {
                for i in 0..100 {
                    SHARED.write(thread, i).expect("it is written");
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().expect("it ends");
    }
}

fn register(session: &Session) -> Result<(), Error> {
    for defined in [&*ALL, &EMPTY, &SHARED, &SHOP, &GROUPED] {
        defined.register(session)?;
    }
    Ok(())
}

fn main() -> Result<(), Error> {
    write_all()?; // disabled until they are registered
    register(&Session::open_or_none())?; // and when that session is dropped
    assert!(!ALL.is_enabled() && !START.is_enabled());
    write_all()?;
    let session = Session::open_or_none();
    register(&session)?;
    if !session.is_open() {
        return write_all();
    }
    assert!(ALL.is_enabled() && START.is_enabled());
    match std::env::args().nth(1).as_deref() {
        Some("large") => write_large(),
        Some("threads") => write_from_threads(),
        _ => write_all()?,
    }
    Ok(())
}
