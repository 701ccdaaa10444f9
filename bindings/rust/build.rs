// SPDX-License-Identifier: MIT
//! Finds libuserevents: in LIBUSEREVENTS_DIR, as pkg-config says, or where the linker looks.
use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=LIBUSEREVENTS_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    if let Ok(folder) = env::var("LIBUSEREVENTS_DIR") {
        println!("cargo:rustc-link-search=native={folder}");
        return;
    }
    let flags = Command::new("pkg-config").args(["--libs-only-L", "libuserevents"]).output();
    for flag in flags.iter().flat_map(|found| found.stdout.split(|byte| byte.is_ascii_whitespace()))
    {
        if let Some(folder) = flag.strip_prefix(b"-L") {
            println!("cargo:rustc-link-search=native={}", String::from_utf8_lossy(folder));
        }
    }
}
