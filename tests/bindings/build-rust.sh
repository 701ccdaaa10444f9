#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the examples of bindings/rust without a network, with warnings as errors.
# Arguments: the crate, the folder of libuserevents.so, a folder for cargo, the output, to which
# other examples append their name.
set -eu
crate=$1
output=$(readlink -f "$4")
export LIBUSEREVENTS_DIR=$2 CARGO_TARGET_DIR=$3 CARGO_HOME=$3/home
export RUSTFLAGS="-D warnings -C link-arg=-Wl,-rpath,$2"
export PATH=/usr/bin:$PATH # Debian's, before one that a user has
cd "$crate"
cargo build --offline --locked --quiet --examples
cp "$CARGO_TARGET_DIR/debug/examples/writer" "$output"
cp "$CARGO_TARGET_DIR/debug/examples/defined" "${output}_defined"
