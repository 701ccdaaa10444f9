# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# Sourced by build-kernel.sh for the flavor arm64: what differs from x86-64, as make's
# settings and in place of that script's own variables and functions.
# shellcheck disable=SC2034,SC2317 # used there
export ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-
image=Image
unneeded=("${unneeded[@]/'*/arch/[!x]*/*.[chS]'/'*/arch/[!a]*/*.[chS]'}")

make_image() { # SOURCE BUILD
	exec setpriv --pdeathsig TERM make -C "$1" O="$2" -j$(($(nproc) + 1)) \
		KBUILD_BUILD_USER=vm KBUILD_BUILD_HOST=vm Image modules
}

keep() { # BUILD RESULT
	cp "$1/arch/arm64/boot/Image" "$2/"
	cp "$1/.config" "$2/config"
	mkdir "$2/modules"
	find "$1" -name '*.ko' -exec cp -t "$2/modules" {} +
}
