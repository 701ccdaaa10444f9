// SPDX-License-Identifier: MIT
//! Writes events of all kinds; tests/bindings/rust_test.py reads them back.
//!
//!     userevents run target/debug/examples/writer [WHAT]
use std::cell::Cell;
use std::error::Error;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::raw::c_int;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::thread;

use userevents::{Activity, Event, Fields, Level, Loss, Opcode, Session, Tracepoint, Values};

type Done = Result<(), Box<dyn Error>>;

fn is_for_threads<T: Send + Sync>() {}

fn main() -> Done {
    is_for_threads::<Session>();
    is_for_threads::<Event>();
    is_for_threads::<Tracepoint>();
    match std::env::args().nth(1).as_deref() {
        None => events(&Session::open()?),
        Some("threads") => threads(&Session::open()?),
        Some("mistakes") => mistakes(&Session::open()?),
        Some("texts") => texts(&Session::open()?),
        Some("losses") => losses(&Session::open()?),
        Some("none") => none(),
        Some("closed") => closed(),
        Some("fork") => forks(&Session::open()?),
        Some("hostile") => hostile(&Session::open()?),
        Some(what) => Err(format!("there is no {what}").into()),
    }
}

fn events(session: &Session) -> Done {
    let request = session.event(
        "rs_request u32 status; s8 small; __rel_loc char[] path; char[4] code; __rel_loc u8[] raw",
    )?;
    let shop = session.tracepoint("RsShop", Level::INFORMATION, 1)?;
    let group = session.tracepoint_in_group("RsShop", "g", Level::VERBOSE, 0xff)?;

    assert!(request.is_enabled() && shop.is_enabled());
    for status in [200u16, 404] {
        request.write(|f| {
            f.bytes("raw", &[1, 255]).text("code", "abcd").text("path", "/caf\u{e9}");
            f.number("status", status).number("small", -1);
        })?;
    }
    shop.write("Numbers", |f| {
        f.u8("a", 255).u16("b", 65535).u32("c", 1 << 31).u64("d", 1 << 63);
        f.i8("e", -1).i16("f", -2).i32("g", -3).i64("h", -4).f32("i", 0.5).f64("j", 0.1);
        f.bool("k", true).hex("l", 255).errno("m", 2).pid("n_", 7).time("o", 60).port("p", 80);
    })?;
    shop.write("Others", |f| {
        f.str("text", "h\u{e9}\0x").json("json", "{}").bytes("raw", b"ab").null("none");
        f.ip("v4", Ipv4Addr::LOCALHOST.into()).ip("v6", Ipv6Addr::LOCALHOST.into());
        f.uuid("id", &[0x12; 16]).str("gr\u{f6}\u{df}e", "");
    })?;
    shop.write("Arrays", |f| {
        f.array("a", &[1u16, 65535]).array("b", &[true, false]).array::<f64>("c", &[]);
        f.strs("d", &["x", "y"]).strs("e", &[String::from("z")]);
    })?;
    shop.write("Structs", |f| {
        f.structure("from", |f| {
            f.str("city", "Rome").structure("at", |f| {
                f.i32("x", 1);
            });
        });
        f.structures("items", [("tea", 2), ("milk", 1)], |f, (name, count)| {
            f.str("name", name).u32("count", count);
        });
        f.structures("nothing", [0u8; 0], |_, _| ()).u8("last", 1);
    })?;
    let inner = shop.write("Outer", |f| {
        f.u8("before", 1);
        shop.write("Inner", |f| {
            f.u8("a", 1);
        })
        .unwrap();
        f.u8("after", 2);
    });
    inner?;
    let (id, other) = (Activity([1; 16]), Activity([2; 16]));
    group
        .event("Start")
        .id(7, 1)
        .opcode(Opcode::ACTIVITY_START)
        .tag(9)
        .activity(id)
        .related(other)
        .write(|f| {
            f.tag(5).u8("a", 1);
        })?;
    assert_ne!(Activity::new()?, Activity::new()?);
    panics(&request, &shop)
}

/// A closure that panics leaves everything usable.
fn panics(request: &Event, shop: &Tracepoint) -> Done {
    std::panic::set_hook(Box::new(|_| ()));
    assert!(catch_unwind(AssertUnwindSafe(|| request.write(|_| panic!()))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| shop.write("Panic", |_| panic!()))).is_err());
    shop.write("After", |_| ())?;
    request.write(|f| {
        f.number("status", 1)
            .number("small", 2u8)
            .text("path", "")
            .text("code", "")
            .bytes("raw", b"");
    })?;
    Ok(())
}

fn threads(session: &Session) -> Done {
    let number = session.event("rs_number u32 thread; u32 i")?;
    let shop = session.tracepoint("RsShop", Level::INFORMATION, 1)?;

    thread::scope(|scope| {
        for thread in 0u32..8 {
            let (number, shop) = (&number, &shop);
            scope.spawn(move || {
                for i in 0u32..100 {
                    number
                        .write(|f| {
                            f.number("thread", thread).number("i", i);
                        })
                        .unwrap();
                    shop.write("Number", |f| {
                        f.u32("thread", thread).array("all", &[thread, i]);
                    })
                    .unwrap();
                }
            });
        }
    });
    Ok(())
}

fn errno_of(result: Result<(), userevents::Error>) -> i32 {
    let error = result.expect_err("it is written");
    assert!(error.to_string().len() > 10, "{error}");
    error.errno()
}

/// Errors of values are explained as such, and not as those of a write.
fn texts(session: &Session) -> Done {
    let two = session.event("rs_texts u8 a; char[2] b")?;
    let shop = session.tracepoint("RsShop", Level::INFORMATION, 1)?;
    let set: [fn(&mut Values<'_>); 5] = [
        |f| {
            f.number("c", 1);
        },
        |f| {
            f.number("a", 1).number("a", 1);
        },
        |f| {
            f.text("a", "1");
        },
        |f| {
            f.text("b", "xyz");
        },
        |_| (),
    ];

    for set in set {
        println!("{}", two.write(set).unwrap_err());
    }
    println!("{}", shop.write("a\0", |_| ()).unwrap_err());
    let deep = shop.write("E", |f| {
        f.structure("a", |f| {
            for _ in 0..128 {
                f.u8("x", 1);
            }
        });
    });
    println!("{}", deep.unwrap_err());
    Ok(())
}

fn mistakes(session: &Session) -> Done {
    let (enoent, eexist, einval, erange, enodata, e2big) = (2, 17, 22, 34, 61, 7);
    let two = session.event("rs_two u8 a; char[2] b")?;
    let shop = session.tracepoint("RsShop", Level::INFORMATION, 1)?;

    for definition in ["rs u33 a", "rs\0 u32 a", "", "rs u32 a; u32 a"] {
        let error = session.event(definition).expect_err("it is malformed");
        assert_eq!(error.errno(), einval);
        assert!(error.to_string().starts_with("byte "), "{error}");
    }
    println!("{}", session.event("rs u33 a").unwrap_err());
    for (provider, level) in [("a b", 4), ("", 4), ("P", 0), ("a\0", 4)] {
        assert_eq!(session.tracepoint(provider, Level(level), 0).unwrap_err().errno(), einval);
    }
    assert_eq!(errno_of(two.write(|_| ())), enodata);
    assert_eq!(
        errno_of(two.write(|f| {
            f.number("c", 1);
        })),
        enoent
    );
    assert_eq!(
        errno_of(two.write(|f| {
            f.number("a", 1).number("a", 1);
        })),
        eexist
    );
    assert_eq!(
        errno_of(two.write(|f| {
            f.text("a", "1");
        })),
        einval
    );
    assert_eq!(
        errno_of(two.write(|f| {
            f.number("a", 256);
        })),
        erange
    );
    assert_eq!(
        errno_of(two.write(|f| {
            f.text("b", "xyz");
        })),
        erange
    );
    assert_eq!(errno_of(shop.write("a\0", |_| ())), einval);
    assert_eq!(
        errno_of(shop.write("E", |f| {
            f.u8("a\0", 1);
        })),
        einval
    );
    assert_eq!(
        errno_of(shop.write("E", |f| {
            f.structure("a\0", |f| {
                f.u8("a", 1);
            });
        })),
        einval
    );
    assert_eq!(
        errno_of(shop.write("E", |f| {
            f.structures("a", [0, 1], |f, i| {
                f.u8(if i == 0 { "x" } else { "y" }, 1);
            });
        })),
        einval
    );
    assert_eq!(
        errno_of(shop.write("E", |f| {
            f.structure("a", |f| {
                for _ in 0..128 {
                    f.u8("x", 1);
                }
            });
        })),
        e2big
    );
    two.write(|f| {
        f.number("a", 1).text("b", "ab");
    })?;
    shop.write("Still", |_| ())?;
    Ok(())
}

fn losses(session: &Session) -> Done {
    let text = session.event("rs_text __rel_loc char[] a")?;
    let shop = session.tracepoint("RsShop", Level::INFORMATION, 1)?;
    let (large, larger) = ("x".repeat(10_000), "x".repeat(70_000));

    for value in [&large, &larger] {
        assert_eq!(
            errno_of(text.write(|f| {
                f.text("a", value);
            })),
            90
        );
    }
    assert_eq!(
        errno_of(shop.write("E", |f| {
            f.str("a", &large);
        })),
        90
    );
    assert_eq!(
        errno_of(shop.write("E", |f| {
            f.str("a", &larger);
        })),
        90
    );
    assert_eq!(
        errno_of(shop.write("E", |f| {
            f.array("a", &[0u64; 70_000]);
        })),
        90
    );
    assert_eq!((text.losses(Loss::TooLarge), shop.losses(Loss::Other)), (2, 0));
    assert_eq!(session.losses(Loss::TooLarge), 2 + u64::from(shop.losses(Loss::TooLarge)));
    Ok(())
}

fn none() -> Done {
    let called = Cell::new(false);
    let error = Session::open_path("/nowhere").unwrap_err();
    let session = Session::open_or_none();
    let event = session.event("rs_none u8 a")?;
    let shop = session.tracepoint("RsShop", Level::INFORMATION, 1)?;

    assert_eq!(error.errno(), 2);
    assert!(error.to_string().len() > 10 && !session.is_open());
    assert!(!event.is_enabled() && !shop.is_enabled());
    event.write(|_| called.set(true))?;
    shop.write("E", |_| called.set(true))?;
    assert!(!called.get() && session.event("rs u33 a").is_err());
    println!("{:?}", userevents::version());
    Ok(())
}

extern "C" {
    fn fork() -> c_int;
    fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn _exit(status: c_int) -> !;
}

userevents::event! {
    static DEFINED = "rs_fork_defined" { who: u32, i: u32 };
}

/// Children of forks write while threads of their parent do: as who 0 to 3, of the threads, 4 to 7,
/// of the children, and 8 and 9, of a fork in the middle of a write.
fn forks(session: &Session) -> Done {
    let number = session.event("rs_fork u32 who; u32 i")?;
    let shop = session.tracepoint("RsShop", Level::INFORMATION, 1)?;
    DEFINED.register(session)?;
    let write = |who: u32| {
        for i in 0u32..100 {
            number.write(|f| {
                f.number("who", who).number("i", i);
            })?;
            shop.write("Fork", |f| {
                f.u32("who", who).u32("i", i);
            })?;
            DEFINED.write(who, i)?;
        }
        Ok::<(), userevents::Error>(())
    };
    thread::scope(|scope| {
        for who in 0..4 {
            let write = &write;
            scope.spawn(move || write(who).unwrap());
        }
        let children: Vec<_> = (4..8).map(|who| fork_one(|| write(who))).collect();
        children.into_iter().for_each(wait_for);
    });
    // SAFETY: this thread is the only one.
    let parent = std::process::id();
    let mut child = 0;
    number.write(|f| {
        child = unsafe { fork() };
        f.number("who", if child == 0 { 8 } else { 9 }).number("i", 0);
    })?;
    if std::process::id() != parent {
        unsafe { _exit(0) };
    }
    wait_for(child);
    Ok(())
}

fn fork_one(write: impl FnOnce() -> Result<(), userevents::Error>) -> c_int {
    // SAFETY: the child only writes events, which takes no lock of another thread.
    unsafe {
        let child = fork();
        if child == 0 {
            _exit(write().is_err().into());
        }
        child
    }
}

fn wait_for(child: c_int) {
    let mut status = -1;
    // SAFETY: the status is written by the call.
    assert_eq!(unsafe { waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0);
}

/// Values that do not fit, and names and texts of any bytes: nothing panics, and each is counted.
fn hostile(session: &Session) -> Done {
    let text = session.event("rs_hostile u8 a; char[4] b; __rel_loc char[] c")?;
    let shop = session.tracepoint("RsShop", Level::INFORMATION, 1)?;
    let long = "n".repeat(1 << 20);

    text.write(|f| {
        f.number("a", 1).text("b", "\0\u{e9}").text("c", "a\0b");
    })?;
    shop.write("\u{ffff}", |f| {
        f.str("\u{10ffff}", "\0").json("j", "{\0").f64("nan", f64::NAN).i64("least", i64::MIN);
        f.errno("e", i32::MIN).pid("p", -1).time("t", i64::MIN).f32("inf", f32::NEG_INFINITY);
    })?;
    for (number, code) in [(256u64, ""), (u64::MAX, ""), (0, "12345")] {
        let result = text.write(|f| {
            f.number("a", number).text("b", code).text("c", "");
        });
        assert_eq!(errno_of(result), 34);
    }
    assert_eq!(errno_of(text.write(|f| drop(f.number("a\0", 1)))), 2);
    assert_eq!(errno_of(text.write(|f| drop(f.text("c", &long)))), 90);
    assert_eq!(errno_of(shop.write(&long, |_| ())), 90);
    assert_eq!(errno_of(shop.write("E", |f| drop(f.str(&long, "")))), 90);
    assert_eq!(errno_of(shop.write("E", |f| drop(f.structure(&long, |_| ())))), 90);
    assert_eq!(errno_of(shop.write("E", |f| nested(f, 1000))), 7);
    assert_eq!((text.losses(Loss::Other), text.losses(Loss::TooLarge)), (4, 1));
    assert_eq!((shop.losses(Loss::Other), shop.losses(Loss::TooLarge)), (1, 3));
    let (none, other) = (Session::open_or_none(), Session::open_or_none());
    drop(other);
    assert_eq!(none.losses(Loss::Other), 0);
    Ok(())
}

fn nested(f: &mut Fields<'_>, depth: u32) {
    if depth > 0 {
        f.structure("in", |f| nested(f, depth - 1));
    }
}

/// Dropped events and sessions leave nothing registered.
fn closed() -> Done {
    for value in 1..4u8 {
        let session = Session::open()?;
        for _ in 0..2 {
            session.event("rs_closed u8 a")?.write(|f| {
                f.number("a", value);
            })?;
        }
    }
    let session: &'static Session = Box::leak(Box::new(Session::open()?));
    let event: Event<'static> = session.event("rs_closed u8 a")?;
    thread::spawn(move || {
        event.write(|f| {
            f.number("a", 4);
        })
    })
    .join()
    .expect("no panic")?;
    Ok(())
}
