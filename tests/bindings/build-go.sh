#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the example of bindings/go without a network, and lets go vet look at the package.
# Arguments: the source and the build folder, a folder for go, the output. The test of slog.go is
# built with Go 1.21 or later, which GO_WITH_SLOG may name.
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
newer=$(find /usr/lib -path '/usr/lib/go-1.2[1-9]/bin/go' | head -n 1)
newer=${GO_WITH_SLOG:-$newer}
[ "$newer" ] || { echo "build-go.sh: there is no Go 1.21: run scripts/packages --install tests" >&2; exit 1; }
GOTOOLCHAIN=local GOCACHE=$3/cache-slog "$newer" test -c -o "${output}_slog" .
[ -z "$(gofmt -l .)" ] || { gofmt -d .; exit 1; }
