#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds and runs what doc/instrument-a-server.md shows, with each of its build systems.

Arguments: the program, the tree, the folder of the built library, "none" or the sanitizers
that it was built with.
"""
import os
import pathlib
import re
import sys
import time

from document import Workshop, files
from tap import run, same

tool, tree, library, sanitizers = sys.argv[1:5]
page = (pathlib.Path(tree) / "doc/instrument-a-server.md").read_text()
shop = Workshop(tool, tree, library, sanitizers)
FAR_WORKERS = 40


def its_commands_print_what_it_shows():
    shop.write(files(page))
    assert len(files(page)) >= 12, len(files(page))
    assert shop.prints_what_it_shows(page) >= 8


def builds(name, commands, program):
    """In a copy, as each build system leaves files."""
    where = f"as-{name}"
    shop.run(f"mkdir {where} && cp *.[ch] *.am *.ac *.txt *.build {where}/")
    done = shop.shell(f"cd {where} && {commands}")
    assert done.returncode == 0, done
    lines = shop.run(f"userevents run -- {where}/{program} | cut -d ' ' -f 3 | sort | uniq -c")
    same([line.split() for line in lines.splitlines()],
         [["2", "Shopd:RequestStart"], ["2", "Shopd:RequestStop"],
          ["2", "user_events:shopd_worker_started"]])


def meson_builds_it():
    builds("meson", "meson setup build && ninja -C build", "build/shopd")


CMAKE = f"cmake -S . -B build -DCMAKE_C_FLAGS='{shop.flags}'"


def cmake_builds_it_with_the_installed_library():
    done = shop.shell(f"meson install -C {shop.libraries.parent} --no-rebuild --destdir $PWD/root")
    assert done.returncode == 0, done
    package, = shop.folder.glob("root/**/libuserevents-config.cmake")
    prefix = next(folder for folder in package.parents if (folder / "include").exists())
    builds("cmake", f"{CMAKE} -DCMAKE_PREFIX_PATH={prefix} && cmake --build build", "build/shopd")
    found = shop.run("grep ^libuserevents_DIR as-cmake/build/CMakeCache.txt")
    assert str(shop.folder) in found, found


def cmake_builds_it_by_pkg_config():
    lines, = re.findall(r"```cmake\n(find_package\(PkgConfig.*?)```", page, re.S)
    shown = dict(files(page))["CMakeLists.txt"]
    changed = shown.replace("find_package(libuserevents 0.1 REQUIRED)\n", lines) \
        .replace("libuserevents::userevents", "PkgConfig::userevents")
    assert "libuserevents::" not in changed and lines in changed, changed
    shop.write([("by-pkg-config.txt", changed)])
    builds("cmake-pkg-config", f"mv by-pkg-config.txt CMakeLists.txt && {CMAKE} && "
           "cmake --build build", "build/shopd")


def autotools_build_it():
    builds("autotools", "autoreconf -i && ./configure && make", "shopd")


def a_request_has_one_id_in_both_threads():
    lines = shop.run("userevents decode -e 'Shopd:*' shopd.uecap").splitlines()
    ids = re.findall(r"activity=(\S+?)}", "\n".join(lines))
    same((len(lines), len(ids), len(set(ids))), (4, 4, 2))
    latency = shop.run("userevents latency RequestStart RequestStop -s 0 shopd.uecap")
    assert "count 2 " in latency and "never" not in latency, latency


def the_daemon_writes_into_its_ring():
    shop.run("USEREVENTS_RING=$PWD/daemon.ring ./shopd --daemon </dev/null >/dev/null 2>&1")
    for _ in range(300):
        done = shop.shell("userevents decode daemon.ring")
        if done.stdout.count("\n") == 6:
            break
        time.sleep(0.1)
    same((done.returncode, done.stderr, done.stdout.count("Shopd:RequestStop")), (0, "", 2))


def a_daemon_under_run_has_closed_the_descriptor():
    done = shop.shell("userevents run -- ./shopd --daemon")
    assert "shopd: no events: " in done.stderr, done
    same(done.stdout, "")


WORKERS = """
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trace.h"
/* An ordinary user cannot become another, but can make the file read-only. */
static int drop(int is_late)
{
	if (geteuid())
		return is_late ? chmod(getenv("USEREVENTS_RING"), 0400) : 0;
	return setuid(65534);
}
int main(int argc, char **argv)
{
	const int is_late = argc > 1 && !strcmp(argv[1], "late");
	int failed = 0, status;

	trace_start();
	if (is_late && drop(1))
		return 1;
	for (uint32_t i = 0; i < %d; i++) {
		if (!fork()) {
			if (!is_late && drop(0))
				_exit(2);
			_exit(UE_WRITE(trace_session, shopd_worker_started, i) ? 1 : 0);
		}
		wait(&status);
		failed += status != 0;
	}
	return failed;
}
""" % FAR_WORKERS


def failed_workers(when, prepare="true"):
    ring = "workers.ring"
    shop.run(f"rm -f {ring} && userevents ring create --size 256k {ring} && {prepare} {ring}")
    return shop.shell(f"USEREVENTS_RING={ring} ./workers {when}").returncode


def workers_that_may_not_open_the_ring_give_their_pages_back():
    shop.write([("workers.c", WORKERS)])
    shop.run("cc workers.c trace.c $(pkg-config --cflags --libs libuserevents) -o workers")
    same(failed_workers("early"), 0)
    same(failed_workers("late"), 0)
    if not os.geteuid():  # or the user of the workers owns the ring
        same(failed_workers("late", "chown 65534"), 0)


# tests/unit/descriptor.c closes the descriptor of a session with the kernel.
def workers_of_a_daemon_that_closed_its_ring_write():
    shop.write([("closed.c", """
#include <sys/wait.h>
#include <unistd.h>
#include "trace.h"
int main(void)
{
	trace_start();
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	if (!fork())
		_exit(UE_WRITE(trace_session, shopd_worker_started, 1) == 0);
	wait(NULL);
	UE_WRITE(trace_session, shopd_worker_started, 2);
	return 0;
}
""")])
    shop.run("cc closed.c trace.c $(pkg-config --cflags --libs libuserevents) -o closed")
    shop.run("USEREVENTS_RING=closed.ring ./closed")
    same(re.findall(r"number=(\d+)", shop.run("userevents decode closed.ring")), ["1", "2"])


def an_event_in_a_header_is_one_for_each_file():
    shop.write([("twice.h", "#include <userevents/userevents.h>\nUE_EVENT(twice, UE_U8(a));\n"),
                ("twice.c", '#include "twice.h"\nint main(void) { return 0; }\n'),
                ("other.c", '#include "twice.h"\n')])
    shop.run("cc twice.c other.c $(pkg-config --cflags --libs libuserevents) -o twice")
    same(shop.run("userevents list ./twice"), "twice u8 a\n" * 2)


def its_links_exist():
    for link in re.findall(r"\]\(([\w./-]+)\)", page):
        assert (pathlib.Path(tree) / "doc" / link).exists(), link


try:
    run([its_commands_print_what_it_shows, meson_builds_it,
         cmake_builds_it_with_the_installed_library, cmake_builds_it_by_pkg_config,
         autotools_build_it,
         a_request_has_one_id_in_both_threads, the_daemon_writes_into_its_ring,
         a_daemon_under_run_has_closed_the_descriptor,
         workers_that_may_not_open_the_ring_give_their_pages_back,
         workers_of_a_daemon_that_closed_its_ring_write, an_event_in_a_header_is_one_for_each_file,
         its_links_exist])
finally:
    shop.remove()
