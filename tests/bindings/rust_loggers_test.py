#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The crates bindings/rust/log and bindings/rust/tracing, with the crates that Debian packages.
Arguments: the tool, the crate userevents, the folder of libuserevents.so and a folder for cargo."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tool"))
from tap import run, same  # noqa: E402

tool, crate, libraries, folder = sys.argv[1:]
SOURCE = pathlib.Path(folder) / "source"  # cargo writes a Cargo.lock for Debian's versions
TARGET = pathlib.Path(folder) / "target"
CONFIG = """[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "/usr/share/cargo/registry"
"""


def cargo(which, *command):
    bare_environment = {name: value for name, value in os.environ.items()
                        if not name.startswith("USEREVENTS_")}
    done = subprocess.run(
        ["/usr/bin/cargo", *command, "--offline", "--quiet"], cwd=SOURCE / which, text=True,
        capture_output=True, timeout=600,
        env={**bare_environment, "PATH": "/usr/bin:" + os.environ["PATH"], "USEREVENTS_FD": "none",
             "CARGO_TARGET_DIR": str(TARGET), "CARGO_HOME": folder + "/home",
             "LIBUSEREVENTS_DIR": libraries, "LD_LIBRARY_PATH": libraries,
             "RUSTFLAGS": "-D warnings", "RUSTDOCFLAGS": "-D warnings"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def events(example):
    done = subprocess.run([tool, "run", "--json", "--", TARGET / "debug/examples" / example],
                          text=True, capture_output=True, timeout=300,
                          env={**os.environ, "LD_LIBRARY_PATH": libraries})
    same(done.returncode, 0)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def they_build_offline():
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.copytree(crate, SOURCE, ignore=shutil.ignore_patterns("target"))
    (SOURCE / ".cargo").mkdir()
    (SOURCE / ".cargo/config.toml").write_text(CONFIG)
    cargo("log", "build", "--examples")
    cargo("tracing", "build", "--examples")


def records_of_log_are_events():
    found, said = events("records")
    same(said, "7\n6000\n6\n")  # by the other logger, of errors and warnings; and altered()
    found, odd = found[:5], found[5:]
    panics = "<its text panics>"
    same([event["message"] for event in odd],
         ["begin " + panics, "begin " + panics, "\u00e9" * 1022 + "...", "x" * 2047 + "\0",
          "x" * (2048 - len(panics)) + panics])
    same((odd[0]["target"], odd[3]["target"]), ("a\0b", "t" * 509 + "..."))
    same([(event["n"], event["meta"]["level"], event["target"], event["message"][:9])
          for event in found],
         [("RsLog:Log", 2, "records", "error 1"), ("RsLog:Log", 3, "records", "\u00e9" * 9),
          ("RsLog:Log", 4, "shop", "info"), ("RsLog:Log", 5, "records", "debug"),
          ("RsLog:Log", 5, "records", "trace")])
    same(found[1]["message"], "\u00e9" * 1022 + "...")
    assert found[0]["file"].endswith("records.rs") and found[0]["line"] > 0


def spans_of_tracing_are_activities():
    found, said = events("spans")
    same(said, "6 and 2\n")
    odd_ones_of_tracing_are_events(found[9:-2])
    large_one_of_tracing_is_cut(found[-1])
    found = found[:9] + found[-2:-1]
    outer, inner = found[1]["meta"]["activity"], found[3]["meta"]["activity"]
    same([(event["n"], event["meta"]["level"], event["meta"].get("opcode", 0),
           event["meta"].get("activity"), event["meta"].get("relatedActivity")) for event in found], [
        ("RsTracing:Log", 4, 0, None, None), ("RsTracing:outer", 4, 1, outer, None),
        ("RsTracing:Log", 3, 0, outer, None), ("RsTracing:inner", 4, 1, inner, outer),
        ("RsTracing:Log", 2, 0, inner, None), ("RsTracing:inner", 4, 2, inner, None),
        ("RsTracing:outer", 4, 0, outer, None), ("RsTracing:Log", 5, 0, outer, None),
        ("RsTracing:outer", 4, 2, outer, None), ("RsTracing:Log", 5, 0, None, None)])
    assert inner != outer
    fields = [{key: value for key, value in event.items() if key not in ("n", "meta", "target")}
              for event in found]
    same(fields[0], {"message": "outside"})
    same(fields[1], {"user": "ann", "_n": -1})
    same(fields[2], {"message": "few items", "left": 3, "ratio": 0.5, "ok": True, "what": "Some(1)"})
    same(fields[6], {"late": 7})
    same(fields[9]["text"], "\u00e9" * 510 + "...")


def large_one_of_tracing_is_cut(event):
    """It has its target, though the fields take all the space."""
    long = "x" * 1000
    same((event["message"], event["a"], event["b"], event["c"], event["target"]),
         ("large", long, long, f'"{long}"', "spans"))
    assert re.fullmatch(r"x+\.\.\.", event["d"]) and 700 < len(event["d"]) < 1000 and "e" not in event, event


def odd_ones_of_tracing_are_events(found):
    panics = "<its text panics>"
    found = [{key: value for key, value in event.items() if key not in ("meta", "target")} for event in found]
    same(found[0], {"n": "RsTracing:Log", "panics": "begin " + panics, "fails": panics, "nul": "\0",
                    "big": str(2**128 - 1), "nan": found[0]["nan"]})
    same(found[1], {"n": "RsTracing:Log", "message": "begin " + panics})
    same(found[2:], [{"n": "RsTracing:hostile", "panics": "begin " + panics},
                     {"n": "RsTracing:hostile", "late": panics}, {"n": "RsTracing:hostile"}])


def programs_of_their_documentation_run():
    for which in "log", "tracing":
        assert "1 passed; 0 failed; 0 ignored" in cargo(which, "test", "--doc")
        cargo(which, "doc", "--no-deps")


def install(name, registry):
    """A crate as its Debian package has it (packaging/debian/rules)."""
    source = pathlib.Path(crate) / name.partition("-")[2]
    place = registry / f"{name}-0.1.0"
    shutil.copytree(source / "src", place / "src")
    manifest = (source / "Cargo.toml").read_text().replace('{ path = ".." }', '"0.1.0"')
    (place / "Cargo.toml").write_text(manifest)
    (place / ".cargo-checksum.json").write_text('{"files":{},"package":null}')
    if name == "userevents":
        shutil.copy(source / "build.rs", place)


def a_program_uses_the_installed_crates():
    """From a registry like /usr/share/cargo/registry with the three packages."""
    registry, program = SOURCE / "registry", SOURCE / "program"
    registry.mkdir()
    for path in pathlib.Path("/usr/share/cargo/registry").iterdir():
        if not path.name.startswith("userevents"):
            (registry / path.name).symlink_to(path)
    for name in "userevents", "userevents-log", "userevents-tracing":
        install(name, registry)
    (program / "src").mkdir(parents=True)
    (program / ".cargo").mkdir()
    (program / ".cargo/config.toml").write_text(CONFIG.replace("/usr/share/cargo/registry", str(registry)))
    (program / "Cargo.toml").write_text("""[package]
name = "program"
version = "0.1.0"
edition = "2021"
[dependencies]
log = "0.4"
tracing = "0.1"
tracing-subscriber = { version = "0.3", default-features = false, features = ["registry", "std"] }
userevents-log = "0.1"
userevents-tracing = "0.1"
[workspace]
""")
    (program / "src/main.rs").write_text("""use tracing_subscriber::prelude::*;
fn main() {
    userevents_log::init("RsInstalled", None).unwrap();
    log::set_max_level(log::LevelFilter::Info);
    tracing_subscriber::registry().with(userevents_tracing::layer("RsInstalled")).init();
    log::info!("of log");
    tracing::info!("of tracing");
}
""")
    for path in (TARGET / "debug/.fingerprint").glob("userevents*"):
        shutil.rmtree(path)  # cargo believes that a crate of a registry never changes
    cargo("program", "build")
    done = subprocess.run([tool, "run", "--json", "--", TARGET / "debug/program"], text=True, capture_output=True,
                          timeout=300, env={**os.environ, "LD_LIBRARY_PATH": libraries})
    same([json.loads(line)["message"] for line in done.stdout.splitlines()], ["of log", "of tracing"])


if __name__ == "__main__":
    run([they_build_offline, records_of_log_are_events, spans_of_tracing_are_activities,
         programs_of_their_documentation_run, a_program_uses_the_installed_crates])
