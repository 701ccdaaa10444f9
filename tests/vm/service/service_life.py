# SPDX-License-Identifier: MIT
"""The life of userevents-collect.service, in a machine whose process 1 is systemd.

Argument: a folder with the packages in now/, the same of a later version in later/, and the
program guests.
"""
import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import stat
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tool"))
import waiting
from tap import run, same

work = pathlib.Path(sys.argv[1])
GUESTS = shutil.copy(work / "guests", "/tmp")  # other users may not enter root's folder
CONF = pathlib.Path("/etc/userevents/collect.conf")
METRICS = pathlib.Path("/run/userevents/userevents.prom")
SOCKET = "/run/userevents/socket"
SERVICE = "userevents-collect.service"
TRACING = pathlib.Path("/sys/kernel/tracing")
DATA = TRACING / "user_events_data"
DEADLINE = 300


def call(*args, status=0):
    done = subprocess.run(args, capture_output=True, text=True, timeout=DEADLINE)
    assert done.returncode == status, (args, done, args[0] == "systemctl" and journal())
    return done.stdout.strip()


def until(condition, what):
    return waiting.until(condition, what, seconds=DEADLINE, more=journal)


def journal():
    return subprocess.run(["journalctl", "--no-pager", "-o", "cat", "-u", SERVICE],
                          capture_output=True, text=True).stdout


def show(name, unit=SERVICE):
    return call("systemctl", "show", "--value", "-p", name, unit)


def main_pid():
    return int(show("MainPID"))


def install(which):
    return call("dpkg", "-i", *map(str, sorted((work / which).glob("*.deb"))))


def values():
    with contextlib.suppress(FileNotFoundError):
        return {line.rpartition(" ")[0].removeprefix("userevents_"): float(line.rpartition(" ")[2])
                for line in METRICS.read_text().splitlines() if not line.startswith("#")}
    return {}


def value(name):
    """Of the series of this name, whatever its labels are."""
    return sum(number for series, number in values().items() if series.partition("{")[0] == name)


def configure(*lines):
    CONF.write_text("".join(f"{line}\n" for line in (*lines, f"metrics = {METRICS}",
                                                     "metrics-interval = 1")))


def begin(*environment, user=None):
    """A program that writes an event each 10 ms."""
    return subprocess.Popen([GUESTS, "pace"], stdin=subprocess.PIPE, text=True,
                            stdout=subprocess.PIPE, user=user,
                            env={**os.environ, **dict(environment)})


def end(program):
    out, _ = program.communicate(timeout=DEADLINE)
    return tuple(map(int, out.split()))


def rights():
    return [(path.stat().st_gid, stat.S_IMODE(path.stat().st_mode)) for path in (TRACING, DATA)]


def in_order(*tests):
    """Each goes on where the last one ended, so after a failure none is run."""
    failed = []

    def mark(test):
        def one():
            assert not failed, f"{failed[0]} failed"
            failed.append(test.__name__)
            test()
            failed.pop()
        one.__name__ = test.__name__
        return one
    run([mark(test) for test in tests])


before = rights()
ring_program = None


def the_packages_start_nothing():
    install("now")
    for unit in SERVICE, "userevents-collect.socket", "userevents-write.service":
        same(subprocess.run(["systemctl", "is-active", "-q", unit]).returncode, 3)
        same(subprocess.run(["systemctl", "is-enabled", "-q", unit]).returncode, 1)
    assert pwd.getpwnam("userevents").pw_uid < 1000
    same(rights(), before)
    call("userevents", "collect", "--check", "--config", str(CONF), status=2)


def the_kernels_events_are_recorded_by_a_user_of_its_own():
    configure("event = user_events:guest*", "record = /var/lib/userevents")
    # the tracepoint exists before its collector: then no event comes too early
    first = subprocess.Popen([GUESTS, "ask"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    until(lambda: (TRACING / "events/user_events/guest").exists(), "it exists")
    call("systemctl", "enable", "--now", SERVICE)
    pid = main_pid()
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    assert f"\nUid:\t{pwd.getpwnam('userevents').pw_uid}\t" in status, status
    assert "\nCapEff:\t0000004000000004\n" in status, status
    until(values, "it counts")
    program = begin()
    until(lambda: value("read_events_total") > 50, "events are read")
    written, lost = end(program)
    same(lost, 0)
    until(lambda: value("read_events_total") == written, f"all {written} are read")
    first.communicate()
    call("systemctl", "stop", SERVICE)
    same(show("Result"), "success")
    same(value("lost_events_total"), 0)
    recorded = call("userevents", "stat", "/var/lib/userevents/events.perf.data")
    assert f" {written} " in f" {recorded} ".replace("\n", " "), (recorded, written)


def programs_find_the_socket_of_the_manager():
    global ring_program
    configure(f"socket = {SOCKET}", "state = /var/lib/userevents/counts")
    call("systemctl", "enable", "--now", "userevents-collect.socket", SERVICE)
    ring_program = begin(("USEREVENTS_SOCKET", SOCKET), user=65534)
    until(lambda: value("read_events_total") > 50, "events are read")
    same(value("socket_rings"), 1)


def a_reload_keeps_the_process():
    pid = main_pid()
    configure(f"socket = {SOCKET}", "state = /var/lib/userevents/counts", "metrics-label = turn=second")
    call("systemctl", "reload", SERVICE)
    until(lambda: any('turn="second"' in series for series in values()), "the label is there")
    same(main_pid(), pid)


def a_broken_file_changes_nothing():
    pid, text = main_pid(), CONF.read_text()
    CONF.write_text(text + "frobnicate = yes\n")
    call("systemctl", "reload", SERVICE)
    until(lambda: "frobnicate" in journal(), "it is reported")
    same((main_pid(), show("ActiveState")), (pid, "active"))
    read = value("read_events_total")
    until(lambda: value("read_events_total") > read, "it goes on")
    CONF.write_text(text)


def an_upgrade_restarts_what_runs_and_keeps_its_rings():
    pid, read = main_pid(), value("read_events_total")
    install("later")
    same(show("ActiveState"), "active")
    assert main_pid() != pid
    assert "deleted" not in os.readlink(f"/proc/{main_pid()}/exe")
    until(lambda: value("read_events_total") > read + 50, "the same program is read")
    same((value("socket_rings"), value("lost_events_total")), (1, 0))
    same(subprocess.run(["systemctl", "is-active", "-q", "userevents-write.service"]).returncode, 3)


def a_collector_that_hangs_is_restarted():
    folder = pathlib.Path(f"/etc/systemd/system/{SERVICE}.d")
    folder.mkdir(parents=True)
    (folder / "watchdog.conf").write_text("[Service]\nWatchdogSec=5s\n")
    call("systemctl", "daemon-reload")
    call("systemctl", "restart", SERVICE)
    pid = main_pid()
    until(lambda: value("socket_rings") == 1, "it has the ring")
    os.kill(pid, signal.SIGSTOP)
    until(lambda: main_pid() not in (0, pid) and show("ActiveState") == "active", "it is another one")
    same(show("NRestarts"), "1")
    assert "Watchdog timeout" in call("journalctl", "--no-pager", "-o", "cat"), journal()
    read = value("read_events_total")
    until(lambda: value("read_events_total") > read, "it reads")


def over_all_of_that_nothing_was_lost():
    """Of the one that was killed, an event may be counted twice (doc/collect.md)."""
    written, lost = end(ring_program)
    same(lost, 0)
    until(lambda: written <= value("read_events_total") <= written + 1, f"all {written} are read")
    same(value("lost_events_total"), 0)


def the_right_to_write_is_given_and_taken():
    call("systemctl", "start", "userevents-write.service")
    group = DATA.stat().st_gid
    assert group and rights() != before, (group, rights())
    call("systemctl", "enable", "userevents-write.service")


def removal_stops_the_services_and_takes_the_rights_back():
    pid = main_pid()
    call("dpkg", "-r", "userevents-export", "userevents")
    assert not pathlib.Path(f"/proc/{pid}").exists()
    same(rights(), before)
    for unit in SERVICE, "userevents-collect.socket", "userevents-write.service":
        same(subprocess.run(["systemctl", "is-active", "-q", unit]).returncode, 3)
    assert CONF.exists() and pathlib.Path("/var/lib/userevents/events.perf.data").exists()


def a_purge_leaves_nothing():
    call("dpkg", "-P", "userevents-export", "userevents", "libuserevents-decode0", "libuserevents0")
    left = subprocess.run(["find", "/etc", "/run", "/usr", "/var", "-name", "*userevents*", "-not", "-path",
                           f"{work}/*"], capture_output=True, text=True).stdout.split()
    # An administrator's own drop-in is not the package's.
    same([path for path in left if path != f"/etc/systemd/system/{SERVICE}.d"], [])


in_order(the_packages_start_nothing, the_kernels_events_are_recorded_by_a_user_of_its_own,
         programs_find_the_socket_of_the_manager, a_reload_keeps_the_process,
         a_broken_file_changes_nothing, an_upgrade_restarts_what_runs_and_keeps_its_rings,
         a_collector_that_hangs_is_restarted, over_all_of_that_nothing_was_lost,
         the_right_to_write_is_given_and_taken, removal_stops_the_services_and_takes_the_rights_back,
         a_purge_leaves_nothing)
