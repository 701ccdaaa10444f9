#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The first steps of doc/collect.md, its exit statuses, and collect --dry-run.

Arguments: the program, the tree, the folder of the built library, "none" or the sanitizers. The
page's folders are in one of the test, and "systemctl" starts and ends the command of the unit;
tests/vm/service-life does that under systemd.
"""
import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

from document import Workshop, commands_of
from tap import run, same

tool, tree, library, sanitizers = sys.argv[1:5]
tree = pathlib.Path(tree)
page = (tree / "doc/collect.md").read_text()
steps = re.search(r"^## First steps\n(.*?)^## ", page, re.S | re.M)[1]
unit = (tree / "packaging/systemd/userevents-collect.service").read_text()
DEADLINE = 300
SERVICE = "userevents-collect"
FOLDERS = {"/etc/userevents": "etc", "/run/userevents": "run", "/var/lib/userevents": "var"}
MASKS = ((r"^user .*", "user"), (r"^[\d:.]+ userevents\[\d+\]", "TIME"))


def here(shop, text):
    for folder, name in FOLDERS.items():
        text = text.replace(folder, f"{shop.folder}/{name}")
    return text


def masked(lines):
    for pattern, shown in MASKS:
        lines = [re.sub(pattern, shown, line) for line in lines]
    return lines


class Service:
    """As systemd has it: one process of the unit's command."""

    def __init__(self, shop):
        self.shop, self.process = shop, None

    def start(self):
        command = here(self.shop, re.search(r"^ExecStart=/usr/bin/userevents (.*)", unit, re.M)[1])
        said = self.shop.folder / ".journal"
        with said.open("wb") as file:
            self.process = subprocess.Popen([tool, *command.split()], stderr=file)
        while b"collecting" not in said.read_bytes(): # Type=notify waits for it, too
            same(self.process.poll(), None)
            time.sleep(0.05)

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            same(self.process.wait(DEADLINE), 0)
        self.process = None

    def control(self, command):
        assert command in (f"enable --now {SERVICE}", f"restart {SERVICE}"), command
        called = ", ".join(f'"{word}"' for word in command.split()[:-1])
        assert f'call("systemctl", {called}, SERVICE)' in \
            (tree / "tests/vm/service/service_life.py").read_text(), command
        self.stop()
        self.start()


def prints(shop, command, lines):
    """Files appear some time after what they tell of; only reading them is repeated."""
    end, is_read = time.monotonic() + DEADLINE, command.startswith(("grep", "userevents decode"))
    while True:
        done = shop.shell(here(shop, command))
        got = masked(done.stdout.splitlines())
        if got == masked([here(shop, line) for line in lines]) and not done.returncode:
            return
        assert is_read and time.monotonic() < end, (command, lines, done)
        time.sleep(0.1)


def installs_packages(command):
    names = re.findall(r"\./([\w-]+)_\*\.deb", command)
    for file in "tests/vm/service-life", "packaging/debian/control":
        same([name for name in names if name not in (tree / file).read_text()], [])
    assert "userevents-export" in names


def run_sh(shop, service, block):
    for command in block.replace("\\\n", "").splitlines():
        word, _, rest = command.partition(" ")
        if word == "systemctl":
            service.control(rest)
        elif word == "apt-get":
            installs_packages(rest)
        else:
            shop.run(here(shop, command))


@contextlib.contextmanager
def workshop():
    shop = Workshop(tool, tree, library, sanitizers)
    service = Service(shop)
    try:
        for name in FOLDERS.values():
            (shop.folder / name).mkdir()
        yield shop, service
        service.stop()
    finally:
        if service.process:
            service.process.kill()
        shop.remove()


def each_of_the_first_steps_does_what_it_shows():
    count = 0
    with workshop() as (shop, service):
        for kind, block in re.findall(r"^```(\w*)\n(.*?)^```$", steps, re.S | re.M):
            if kind == "sh":
                run_sh(shop, service, block)
            elif kind == "console":
                for command, lines in commands_of(block):
                    prints(shop, command, lines)
                    count += 1
            else:
                (shop.folder / "etc/collect.conf").write_text(here(shop, block))
    assert count >= 7, count


def the_rules_are_where_the_page_says():
    package, name = re.search(r"/usr/share/doc/([\w-]+)/(userevents\.rules\.yml)", steps).groups()
    assert f"packaging/prometheus/{name}" in \
        (tree / f"packaging/debian/{package}.docs").read_text().split()


# What --dry-run prints

def rehearsed(shop, *args, status=0, prefix=()):
    done = subprocess.run([*prefix, tool, "collect", "-n", *map(str, args)], capture_output=True,
                          text=True, timeout=DEADLINE)
    same((done.returncode, args), (status, args))
    return done.stdout, done.stderr


def a_rehearsal_prints_what_would_be_done_and_makes_nothing():
    with workshop() as (shop, _):
        out, said = rehearsed(
            shop, "--socket", shop.folder / "socket", "-e", "Shop:*", "-e", "tick", "-w", "a == 1",
            "--otlp", "http://me:secret@localhost:1", "--queue-dir", shop.folder / "queue",
            "--metrics", ":9464", "--metrics", shop.folder / "m.prom", "--ring",
            shop.folder / "*.ring", "--rings-per-user", 7)
        same(said, "")
        same(sorted(path.name for path in shop.folder.iterdir()),
             [".bin", *sorted(FOLDERS.values())])
        same(masked(out.splitlines()), [
            f"socket    {shop.folder}/socket, mode 0666; at most 256 rings of 4096 KiB, "
            "7 of a user",
            f"rings     {shop.folder}/*.ring (0 now)",
            "events    Shop:*, tick",
            "where     a == 1",
            "receiver  http://localhost:1/v1/logs, http://localhost:1/v1/traces",
            f"queue     files in {shop.folder}/queue, at most 1024 MiB",
            "metrics   listen on :9464",
            f"metrics   {shop.folder}/m.prom",
            "user"])


def a_rehearsal_names_what_is_lacking():
    with workshop() as (shop, _):
        missing = shop.folder / "none"
        _, said = rehearsed(shop, "--socket", missing / "s", "--record", missing / "r", "--state",
                            missing / "c", "--metrics", missing / "m", "--metrics",
                            f"unix:{missing}/u", "--otlp", "http://localhost:1", "--queue-dir",
                            missing / "q", status=1)
        reason = (f"{missing}: No such file or directory; give this user the right to make files "
                  "there")
        same(sorted(said.splitlines()), sorted(
            f"userevents: cannot {text}: {reason}" for text in
            (f"listen on {missing}/s", f"record into {missing}/r", f"keep counts in {missing}/c",
             f"write {missing}/m", f"listen on {missing}/u", f"keep a queue in {missing}/q")))


def a_rehearsal_names_what_is_taken():
    """Ports, sockets, directories and files that a process has, and files that are not ours."""
    with workshop() as (shop, _), socket.create_server(("127.0.0.1", 0)) as server:
        port = f"127.0.0.1:{server.getsockname()[1]}"
        has = {name: shop.folder / name for name in ("s", "r", "c", "m", "u", "q")}
        args = ["--socket", has["s"], "--record", has["r"], "--state", has["c"], "--metrics",
                has["m"], "--metrics", f"unix:{has['u']}", "--otlp", "http://localhost:1",
                "--queue-dir", has["q"]]
        process = subprocess.Popen([tool, "collect", *map(str, args)], stderr=subprocess.PIPE)
        process.stderr.readline()
        _, said = rehearsed(shop, *args, "--metrics", port, status=1)
        fix = "stop it, or name another one"
        same(sorted(said.splitlines()), sorted([
            *(f"userevents: cannot {text}: another {which} does; {fix}" for text, which in
              ((f"listen on {has['s']}", "process"), (f"listen on {has['u']}", "process"),
               (f"record into {has['r']}", "collector"), (f"write {has['m']}", "collector"),
               (f"keep counts in {has['c']}", "collector"),
               (f"keep a queue in {has['q']}", "collector"))),
            f"userevents: cannot listen on {port}: Address already in use; stop what has it, or "
            "name another one"]))
        process.terminate()
        same(process.wait(DEADLINE), 0)
        process.stderr.close()
        same(rehearsed(shop, *args)[1], "")
        for path in has["c"], has["m"]:
            path.write_text("a note of mine")
        _, said = rehearsed(shop, *args, status=1)
        same(said.splitlines(), [
            f"userevents: cannot write {has['m']}: it is no file of metrics, which would replace "
            "it; name another one",
            f"userevents: cannot keep counts in {has['c']}: it is no file of counts; name another, "
            "or remove it"])
        has["m"].unlink()
        has["c"].unlink()
        has["c"].symlink_to("/dev/null")
        for state, reason in ((has["c"], "Too many levels of symbolic links"),
                              ("/dev/null", "it is no regular file; name another")):
            _, said = rehearsed(shop, *args[:2], *args[6:8], "--state", state, status=1)
            same(said, f"userevents: cannot keep counts in {state}: {reason}\n")


def a_rehearsal_counts_descriptors():
    with workshop() as (shop, _):
        args = ["--socket", shop.folder / "s", "--metrics", shop.folder / "m"]
        rehearsed(shop, *args, prefix=("prlimit", "--nofile=200:1088"))
        _, said = rehearsed(shop, *args, prefix=("prlimit", "--nofile=200:1087"), status=1)
        same(said, 'userevents: cannot hold 256 rings: this user may open 1087 files; raise '
             'LimitNOFILE= of the unit, or "ulimit -Hn", to 1088, or lower --socket-rings\n')


def a_rehearsal_looks_for_the_rights_of_the_kernels_events():
    with workshop() as (shop, _):
        tracefs = shop.folder / "tracing"
        (tracefs / "events").mkdir(parents=True)
        (tracefs / "user_events_data").touch()
        if os.geteuid():
            prefix = ()
        else:
            prefix = ("setpriv", "--bounding-set", "-all", "--inh-caps", "-all")
        _, said = rehearsed(shop, "--tracefs", tracefs, "--metrics", ":9464", "--process-losses", 9,
                            prefix=prefix, status=1)
        assert "this user lacks CAP_SYS_PTRACE" in said, said
        paranoid = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")
        may = paranoid.exists() and paranoid.read_text().strip() == "-1"
        same("this user lacks CAP_PERFMON" in said, not may)


# Exit statuses

def each_exit_status_is_that_of_the_page():
    table = re.search(r"^## Exit status\n(.*?)^## ", page, re.S | re.M)[1]
    same(re.findall(r"^\| (\d+) \|", table, re.M), ["0", "1", "2"])
    with workshop() as (shop, _):
        config, alone = shop.folder / "c", shop.folder / "alone"
        config.write_text(f"socket = {shop.folder}/s\nmetrics = {shop.folder}/m\n")
        alone.mkdir()
        (alone / "userevents").write_bytes(pathlib.Path(tool).read_bytes())
        (alone / "userevents").chmod(0o755)
        for status, command in (
                (0, f"userevents collect --check --config {config}"),
                (0, f"userevents collect --dry-run --config {config}"),
                (1, f"userevents collect --socket {shop.folder}/none/s --metrics :1"),
                (1, f"userevents collect --dry-run --socket {shop.folder}/none/s --metrics :1"),
                (1, f"{alone}/userevents collect --check --config {config}"),
                (2, "userevents collect --check"), (2, "userevents collect --otlp ftp://x"),
                (2, "userevents collect --dry-run --otlp ftp://x"),
                (2, "userevents collect --nothing"),
                (0, "userevents collect --check --otlp ftp://x")):
            done = shop.shell(command)
            same((done.returncode, command, done.stderr and ""), (status, command, ""))
            assert done.stderr or not status, command
        for name in signal.SIGTERM, signal.SIGINT:
            process = subprocess.Popen([tool, "collect", "--config", config],
                                       stderr=subprocess.PIPE)
            process.stderr.readline()
            process.send_signal(name)
            same((name, process.wait(DEADLINE)), (name, 0))
            process.stderr.close()


run([each_of_the_first_steps_does_what_it_shows, the_rules_are_where_the_page_says,
     a_rehearsal_prints_what_would_be_done_and_makes_nothing, a_rehearsal_names_what_is_lacking,
     a_rehearsal_names_what_is_taken, a_rehearsal_counts_descriptors,
     a_rehearsal_looks_for_the_rights_of_the_kernels_events, each_exit_status_is_that_of_the_page])
