#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents doctor on artificial systems. Argument: the tool."""
import gzip
import json
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys
import tempfile

from tap import run, same

tool = sys.argv[1]
kernels = pathlib.Path(__file__).resolve().parents[2] / "doc/kernels.md"
folder = pathlib.Path(tempfile.mkdtemp())
TRACING = "sys/kernel/tracing"
HEALTHY = {
    "proc/sys/kernel/osrelease": "6.12.1\n",
    "proc/sys/kernel/user_events_max": "32768\n",
    "proc/sys/kernel/perf_event_paranoid": "2\n",
    "proc/self/mounts": "proc /proc proc rw 0 0\ntracefs /sys/kernel/tracing tracefs rw,nosuid 0 0\n",
    "proc/self/uid_map": "         0          0 4294967295\n",
    "sys/kernel/security/lockdown": "[none] integrity confidentiality\n",
    "boot/config-6.12.1": "CONFIG_TRACING=y\nCONFIG_USER_EVENTS=y\n",
    f"{TRACING}/user_events_data": "",
    f"{TRACING}/user_events_status": "tick # Used by ftrace\ntock\n\nActive: 2\nBusy: 1\n",
    f"{TRACING}/tracing_on": "1\n",
    **{f"{TRACING}/{file}": "" for file in ("kprobe_events", "uprobe_events", "synthetic_events",
                                            "snapshot")},
    f"{TRACING}/README": "      hist trigger\t- If set\n   e[:[<group>/]<event>] <attached-group>.<attached-event>\n",
}


def system(**changes):
    """A tree with these files changed: text, bytes, or None for absent."""
    root = pathlib.Path(tempfile.mkdtemp(dir=folder))
    for name, content in {**HEALTHY, **changes.pop("files", {})}.items():
        if content is None:
            continue
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def without_override():
    """Root may read everything, but not without these capabilities."""
    if os.geteuid():
        return []
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


def examine(root, *args, status=0, before=()):
    done = subprocess.run([*before, tool, "doctor", "--root", str(root), *args],
                          capture_output=True, text=True, timeout=600)
    same(done.stderr, "")
    same(done.returncode, status)
    return done.stdout


def findings(root, **kwargs):
    return {f["check"]: f for f in map(json.loads, examine(root, "--json", **kwargs)
                                       .splitlines())}


def finding(check, root, **kwargs):
    return findings(root, **kwargs)[check]


def problem(check, files, fix=None, meaning=""):
    """The one thing that is wrong, and what fixes it."""
    found = findings(system(files=files), status=1)
    same([name for name, f in found.items() if f["problem"]], [check])
    assert meaning in found[check]["meaning"], found[check]
    same(found[check].get("fix"), fix)


def a_healthy_system_in_full():
    before, begin, _ = examine(system()).partition("-- Linux 6.12.1 has these faults of user_events, "
                                                   "unless its vendor fixed them: doc/kernels.md")
    assert begin
    same(before, """\
ok The kernel is Linux 6.12.1: user_events is offered, if it was built in.
ok /boot/config-6.12.1 has CONFIG_USER_EVENTS=y.
-- Lockdown is: [none] integrity confidentiality: it leaves tracefs alone.
ok tracefs is mounted at /sys/kernel/tracing.
ok User 0 may write to /sys/kernel/tracing/user_events_data.
ok The whole system may have 32768 user events: with one more, registering fails with \
EMFILE; to have more: sysctl kernel.user_events_max=N.
-- No function probes (f): they need Linux 6.5 and CONFIG_FPROBE_EVENTS; p:NAME FUNCTION is a \
kernel probe.
-- No tracepoint probes (t): they need Linux 6.5 and CONFIG_FPROBE_EVENTS; e:NAME SYSTEM.EVENT \
takes the fields of an event.
ok The kernel's tracing has kernel probes, probes of programs, histograms, synthetic events, \
snapshots: for "probe", "trigger", "khist", "klatency" and "synth".
-- The kernel was not asked for its interface, flags and limits: run doctor on that system to ask it.
ok 2 user events are registered, and 1 of them are enabled.
-- kernel.perf_event_paranoid is 2: perf records tracepoints for root, or with CAP_PERFMON.
   $ sysctl kernel.perf_event_paranoid=-1   # as root, if CAP_PERFMON is not enough: lets every user \
trace the whole system
""".replace("User 0", f"User {os.geteuid()}"))


def a_kernel_without_the_option():
    fix = ("scripts/config -e USER_EVENTS && make olddefconfig   "
            "# in the kernel's source; then build and boot it")
    problem("config", {"boot/config-6.12.1": "# CONFIG_USER_EVENTS is not set\n"}, fix,
            "userevents run")
    problem("config", {"boot/config-6.12.1": "CONFIG_USER_EVENTS=yes\n"}, fix)
    # Mounting tracefs does not help.
    files = {"boot/config-6.12.1": "", "proc/self/mounts": "proc /proc proc rw 0 0\n"}
    problem("config", files, fix)
    same(finding("tracefs", system(files=files), status=1).get("fix"), None)


def a_compressed_configuration_is_read():
    root = system(files={"boot/config-6.12.1": None,
                         "proc/config.gz": gzip.compress(b"CONFIG_USER_EVENTS=y\n")})
    same(finding("config", root)["fact"], "/proc/config.gz has CONFIG_USER_EVENTS=y")


def no_configuration_is_no_problem():
    for damaged in (None, b"no gzip"):
        root = system(files={"boot/config-6.12.1": None, "proc/config.gz": damaged})
        same(finding("config", root)["answer"], "unknown")


def version(text):
    return tuple(int(part) for part in re.match(r"[\d.]+", text)[0].split("."))


def documented_faults():
    """(fault, first version, fixed versions: of Linus' tree or None, then of stable series)."""
    part = kernels.read_text().split("## Faults of the kernel")[1].split("\n## ")[0]
    for line in re.findall(r"^\| (.*) \|$", part, re.M)[1:]:
        what, first, fixed, seen = line.split(" | ")
        assert re.match(r"measured: 6\.|read: ", seen), line
        mainline, *stable = fixed.split(", ")
        yield what, version(first), mainline != "-" and version(mainline), map(version, stable)


def holds(release, first, mainline, stable):
    if release < first or (mainline and release >= mainline):
        return False
    return not any(release[:2] == fixed[:2] and release >= fixed for fixed in stable)


def the_faults_of_a_kernel_are_those_of_the_document():
    rows = [(what, first, mainline, list(stable))
            for what, first, mainline, stable in documented_faults()]
    assert len(rows) > 20, rows
    releases = {(6, 1), (6, 12, 1), (7, 3)}
    for _, first, mainline, stable in rows:
        releases |= {first, *stable, *((*fixed[:2], fixed[2] - 1) for fixed in stable)}
        releases |= {mainline, (mainline[0], mainline[1] - 1, 99)} if mainline else set()
    for release in sorted(releases):
        name = ".".join(map(str, release)) + "-vendor"
        root = system(files={"proc/sys/kernel/osrelease": name + "\n"})
        found = findings(root)
        same([f["fact"] for check, f in found.items() if check.startswith("faults.")],
             [what for what, *others in rows if holds(release, *others)])
        same("faults" in found, True)
    assert "fixed in Linux 7.2, 6.12.97" in findings(system())["faults.fork"]["meaning"]
    same(findings(system())["faults.sizes"]["meaning"], "no fix is known")


DEBIAN = "Linux version {} (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) 12.2.0, " \
         "GNU ld (GNU Binutils for Debian) 2.40) #1 SMP PREEMPT_DYNAMIC Debian {}\n"


def a_distribution_shows_the_stable_version_elsewhere():
    """It takes the fixes of the stable series, and its release keeps a 0 at the end."""
    rows = [(what, first, mainline, list(stable))
            for what, first, mainline, stable in documented_faults()]
    for name, files, reached in (
            ("6.1.0-37-amd64", {"version": ("6.1.0-37-amd64", "6.1.140-1 (2025-05-22)")},
             "6.1.140"),
            ("6.1.0-99-amd64", {"version": ("6.1.0-99-amd64", "6.1.192-1 (2026-10-01)")},
             "6.1.192"),
            ("6.1.0-5-amd64", {"version": ("6.1.0-5-amd64", "6.1.12-1 (2023-02-15)")}, "6.1.12"),
            ("6.12.0+rpt-rpi-v8", {"version": ("6.12.0+rpt-rpi-v8", "1:6.12.100-1+rpt1")},
             "6.12.100"),
            ("6.8.0-60-generic", {"signature": "Ubuntu 6.8.0-60.63-generic 6.8.12\n"}, "6.8.12"),
            # They show nothing that is newer, or it is another series: the release counts.
            ("6.12.120-vendor", {"version": ("6.12.120-vendor", "6.12.2-1")}, None),
            ("6.12.1", {"version": ("6.12.1", "6.1.140-1")}, None),
            ("6.12.1", {"signature": "Ubuntu\n", "version": ("6.12.1", "x")}, None)):
        texts = {"proc/sys/kernel/osrelease": name + "\n"}
        if "version" in files:
            texts["proc/version"] = DEBIAN.format(*files["version"])
        if "signature" in files:
            texts["proc/version_signature"] = files["signature"]
        found = findings(system(files=texts))
        shown = f"{name} ({reached})" if reached else name
        same(found["faults"]["fact"], f"Linux {shown} has these faults of user_events, unless its "
             "vendor fixed them")
        same([f["fact"] for check, f in found.items() if check.startswith("faults.")],
             [what for what, *others in rows if holds(version(reached or name), *others)])


def a_kernel_without_user_events_has_no_faults():
    for files in ({"proc/sys/kernel/osrelease": "5.10.0-8-amd64\n"},
                  {"boot/config-6.12.1": "# CONFIG_USER_EVENTS is not set\n"}):
        done = subprocess.run([tool, "doctor", "--json", "--root", str(system(files=files))],
                              capture_output=True, text=True, timeout=600)
        assert '"faults' not in done.stdout, done.stdout


def old_kernels_are_reported():
    for release, meaning in {"5.10.0-8-amd64": "came with Linux 5.18",
                             "6.0.1": "withdrawn", "6.1.192": "status page"}.items():
        root = system(files={"proc/sys/kernel/osrelease": release + "\n",
                             f"boot/config-{release}": "CONFIG_USER_EVENTS=y\n"})
        assert meaning in finding("release", root)["meaning"]


def tracefs_is_not_mounted():
    problem("tracefs", {"proc/self/mounts": "proc /proc proc rw 0 0\n"},
            "mount -t tracefs nodev /sys/kernel/tracing   # as root")


def tracefs_is_read_only():
    problem("tracefs", {"proc/self/mounts": "t /sys/kernel/tracing tracefs nosuid,ro 0 0\n"},
            "mount -o remount,rw /sys/kernel/tracing   # as root")


def tracefs_is_elsewhere():
    root = system(files={"proc/self/mounts": "t /mnt tracefs rw 0 0\n",
                         "mnt/user_events_data": ""})
    same(finding("tracefs", root)["fact"], "tracefs is mounted at /mnt")


def without_readable_mounts():
    same(finding("tracefs", system(files={"proc/self/mounts": None}))["answer"],
         "unknown")


def without_user_events_data():
    problem("file", {f"{TRACING}/user_events_data": None}, None, "userevents run")


def the_user_may_not_enter():
    root = system()
    (root / TRACING).chmod(0o600)
    found = finding("rights", root, status=1, before=without_override())
    (root / TRACING).chmod(0o700)
    assert "may not enter /sys/kernel/tracing (mode 0600" in found["fact"], found
    # Whoever has no group yet needs one first.
    user = pwd.getpwuid(os.geteuid()).pw_name
    same(found["fix"].split("   # ")[0].split(" && "), [
        "groupadd -rf userevents-write", f"usermod -aG userevents-write {user}",
        "cd /sys/kernel/tracing", "chmod a+x .", "chgrp userevents-write user_events_data",
        "chmod g+rw user_events_data"])


def the_user_may_not_write():
    root = system()
    (root / TRACING / "user_events_data").chmod(0o440)
    found = finding("rights", root, status=1, before=without_override())
    assert "may not read and write" in found["fact"] and "mode 0440" in found["fact"], found


def the_listeners_cannot_be_seen():
    root = system()
    (root / TRACING / "user_events_status").chmod(0)
    same(finding("listeners", root, before=without_override())["answer"], "unknown")


def without_listeners():
    root = system(files={f"{TRACING}/user_events_status": "tick\n\nActive: 1\nBusy: 0\n"})
    found = finding("listeners", root)
    same(found["answer"], "no")
    assert found["fix"].startswith("echo 1 >/sys/kernel/tracing/events/user_events/enable")


def tracing_is_off():
    problem("tracing_on", {f"{TRACING}/tracing_on": "0\n"},
            "echo 1 >/sys/kernel/tracing/tracing_on")


def the_kernel_is_locked_down():
    problem("lockdown",
            {"sys/kernel/security/lockdown": "none integrity [confidentiality]\n"},
            "reboot   # without lockdown=confidentiality, or without Secure Boot")


def a_container_is_reported():
    for files in ({".dockerenv": ""}, {"run/.containerenv": ""},
                  {"proc/self/uid_map": "0 100000 65536\n"}):
        assert "container" in findings(system(files=files))


FIRST = {"pid": 4026531836, "uts": 4026531838, "ipc": 4026531839, "cgroup": 4026531835}


def in_namespaces(files, **others):
    root = system(files=files)
    folder = root / "proc/self/ns"
    folder.mkdir(parents=True)
    for kind, number in {**FIRST, **others}.items():
        if number:  # a kernel may be built without
            (folder / kind).symlink_to(f"{kind}:[{number}]")
    return root


def a_container_has_namespaces():
    """A virtual machine with a container's files has the mark, too."""
    for mark in ".dockerenv", "run/.containerenv", "run/systemd/container":
        assert "container" not in findings(in_namespaces({mark: ""}))
        for kind in FIRST:
            assert "container" in findings(in_namespaces({mark: ""}, **{kind: 4026532100}))
    assert "container" not in findings(in_namespaces({".dockerenv": ""}, pid=0, cgroup=0))
    assert "container" in findings(in_namespaces({}, pid=4026532100))
    assert "container" not in findings(in_namespaces({}, uts=4026532100))


def perf_is_open():
    root = system(files={"proc/sys/kernel/perf_event_paranoid": "-1\n"})
    same(finding("perf", root)["answer"], "yes")


def an_empty_system_is_survived():
    root = pathlib.Path(tempfile.mkdtemp(dir=folder))
    answers = {f["answer"] for f in findings(root).values()}
    assert answers <= {"unknown", "not asked", "yes"}, answers


def a_refused_right_is_no_absent_feature():
    """Without rights nothing is said about what the kernel has."""
    rights = [] if os.geteuid() else ["setpriv", "--inh-caps=-all", "--bounding-set=-all"]
    done = subprocess.run([*rights, tool, "doctor", "--json"], capture_output=True, text=True,
                          timeout=600)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    [bpf] = [finding for finding in found if finding["check"] == "bpf"]
    assert bpf["answer"] in ("unknown", "not asked"), bpf


def this_system_is_examined():
    """The report and the exit status agree for any system."""
    done = subprocess.run([tool, "doctor"], capture_output=True, text=True, timeout=600)
    same(done.stderr, "")
    same(done.returncode, 1 if "\n!! " in done.stdout else 0)
    assert "\nok BPF" not in done.stdout, done.stdout
    done = subprocess.run([tool, "run", "-o", "/dev/null", tool, "doctor", "--json"],
                          capture_output=True, text=True, timeout=600)
    assert "names a capture" in done.stdout, done.stdout
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([tool, "doctor"], capture_output=True, text=True, timeout=600,
                              env={**os.environ, "USEREVENTS_RING": folder + "/ring"})
        assert "USEREVENTS_RING names a ring" in done.stdout, done.stdout


def wrong_usage_is_rejected():
    done = subprocess.run([tool, "doctor", "now"], capture_output=True, text=True)
    same(done.returncode, 2)
    assert "takes no arguments" in done.stderr


try:
    run([
        a_healthy_system_in_full,
        a_kernel_without_the_option,
        a_compressed_configuration_is_read,
        no_configuration_is_no_problem,
        the_faults_of_a_kernel_are_those_of_the_document,
        a_distribution_shows_the_stable_version_elsewhere,
        a_kernel_without_user_events_has_no_faults,
        old_kernels_are_reported,
        tracefs_is_not_mounted,
        tracefs_is_read_only,
        tracefs_is_elsewhere,
        without_readable_mounts,
        without_user_events_data,
        the_user_may_not_enter,
        the_user_may_not_write,
        the_listeners_cannot_be_seen,
        without_listeners,
        tracing_is_off,
        the_kernel_is_locked_down,
        a_container_is_reported,
        a_container_has_namespaces,
        perf_is_open,
        an_empty_system_is_survived,
        a_refused_right_is_no_absent_feature, this_system_is_examined,
        wrong_usage_is_rejected,
    ])
finally:
    shutil.rmtree(folder)
