#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the example of bindings/go without a network, and lets go vet look at the package.
# Arguments: the source and the build folder, a folder for go, the output.
set -eu
lib=$2/lib
output=$(readlink -f "$4")
# The package asks pkg-config for an installed library; the flags here come first.
export PKG_CONFIG_PATH=$lib
export CGO_CFLAGS="-O2 -g -Wall -Wextra -Werror -I$1/include" CGO_LDFLAGS="-L$lib -Wl,-rpath,$lib"
export GOCACHE=$3/cache GOPATH=$3/path GOFLAGS=-mod=readonly GOPROXY=off GO111MODULE=on
export PATH=/usr/bin:$PATH # Debian's, before one that a user has
cd "$1/bindings/go"
go build -buildvcs=false -o "$output" ./examples/writer
go vet ./...
[ -z "$(gofmt -l .)" ] || { gofmt -d .; exit 1; }
