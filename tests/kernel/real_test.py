#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The servers of examples/real on a kernel: enabled while they run, with workers that come,
go and are killed.

Arguments: the tool, the build folder with the servers.
"""
import os
import pathlib
import re
import signal
import sys

from recorders import Program, folder, json, listens, out, run_chosen, same, tool, tracing

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "real"))
import servers  # noqa: E402
from servers import COMMANDS, MEMCACHED_REQUESTS, NGINX_REQUESTS, PATHS, drive, until  # noqa: E402

real = servers.Servers(sys.argv[2])
MEMCACHED_TRACEPOINTS, NGINX_TRACEPOINTS = 2, 3


def ask(file, sql):
    return [list(json.loads(line).values()) for line in
            out(tool, "query", "--json", file, sql).splitlines()]


def start_memcached():
    """A daemon of another user."""
    port = servers.free_port()
    same(real.start(real.memcached(port, "-d")).wait(servers.DEADLINE), 0)
    pid = real.memcached_pid(port)
    assert "\nUid:\t0\t" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    return port, pid


def start_nginx():
    """A daemon whose workers are of another user."""
    port = servers.free_port()
    same(real.start(real.nginx(port)).wait(servers.DEADLINE), 0)
    pid = real.nginx_pid(port)
    for worker in servers.children(pid):
        until(lambda: "\nUid:\t0\t" not in pathlib.Path(f"/proc/{worker}/status").read_text(),
              "the worker has dropped its privileges")
    return port, pid


def recorded(name, provider, tracepoints, work):
    """Records a running server while work() is done."""
    file = str(folder / f"{name}.data")
    with Program(tool, "record", "-o", file, "-e", f"{provider}_*") as recorder:
        listens(recorder, tracepoints)
        work()
        recorder.end()
    return file


def pairs_are_complete(file, begin, end, requests):
    same(ask(file, f"SELECT (SELECT count(*) FROM {begin}), (SELECT count(*) FROM {end})"),
         [[requests, requests]])
    same(ask(file, f"SELECT count(*), count(DISTINCT activity) FROM {begin} b "
             f"JOIN {end} e USING (activity) WHERE e.time >= b.time"), [[requests, requests]])
    same(json.loads(out(tool, "latency", "--json", file))["count"], requests)


def memcached_is_recorded_while_it_runs():
    port, pid = start_memcached()
    same(drive.memcached(port), MEMCACHED_REQUESTS)  # nobody listens
    file = recorded("memcached", "Memcached", MEMCACHED_TRACEPOINTS,
                    lambda: same(drive.memcached(port), MEMCACHED_REQUESTS))
    servers.stop(pid)
    pairs_are_complete(file, "CommandBegin", "CommandEnd", MEMCACHED_REQUESTS)
    same(dict(ask(file, "SELECT command, count(*) FROM CommandBegin GROUP BY 1")), COMMANDS)
    same(ask(file, "SELECT DISTINCT pid, comm FROM events"), [[pid, "mc-worker"]])
    same(ask(file, "SELECT count(DISTINCT connection) FROM CommandBegin GROUP BY tid"),
         [[2], [2]])
    slowest = json.loads(out(tool, "latency", "-s", "1", "--json", file))["slowest"]
    assert '"late"' in json.dumps(slowest), slowest


def ftrace_enables_and_disables_it():
    port, pid = start_memcached()
    instance = tracing / "instances/real"
    instance.mkdir()
    try:
        enable = instance / "events/user_events/Memcached_L4K1/enable"
        for number in range(2):
            enable.write_text("1")
            same(drive.memcached(port), MEMCACHED_REQUESTS)
            enable.write_text("0")
            same(drive.memcached(port), MEMCACHED_REQUESTS)
            shown = (instance / "trace").read_text()
            # Linux 6.1 shows neither names nor, at the end of an event, a new line
            same(len(re.findall(r"mc-worker-\d+ +\[", shown)),
                 (number + 1) * 2 * MEMCACHED_REQUESTS)
    finally:
        instance.rmdir()
    servers.stop(pid)


def workers_that_leave_and_come_write_what_they_do():
    port, master = start_nginx()
    workers = []

    def work():
        same(drive.nginx(port), NGINX_REQUESTS)
        workers.extend(servers.reload_workers(master))
        same(drive.nginx(port), NGINX_REQUESTS)
        servers.stop(master, signal.SIGQUIT)

    file = recorded("reload", "Nginx", NGINX_TRACEPOINTS, work)
    pairs_are_complete(file, "RequestBegin", "RequestEnd", 2 * NGINX_REQUESTS)
    same(dict(ask(file, "SELECT uri, count(*) / 2 FROM RequestBegin GROUP BY 1")), PATHS)
    for each in workers:
        same(ask(file, "SELECT count(*) FROM RequestBegin "
                 f"WHERE pid IN ({','.join(map(str, each))})"), [[NGINX_REQUESTS]])
    old, new = workers
    same({pid for pid, in ask(file, "SELECT pid FROM WorkerBegin")}, new)
    same({pid for pid, in ask(file, "SELECT pid FROM WorkerEnd")}, old | new)
    same(ask(file, "SELECT DISTINCT client, status FROM RequestBegin JOIN RequestEnd "
             "USING (activity) WHERE status >= 400"), [["127.0.0.3", 404]])


def a_killed_worker_leaves_the_request_that_it_did_not_finish():
    port, master = start_nginx()
    killed = []

    def work():
        with servers.request_slow_file(port):
            before = servers.children(master)
            for pid in before:
                os.kill(pid, signal.SIGKILL)
            until(lambda: len(servers.children(master)) == 2 and
                  not servers.children(master) & before, "nginx has other workers")
            killed.extend(before)
        same(drive.nginx(port), NGINX_REQUESTS)

    file = recorded("killed", "Nginx", NGINX_TRACEPOINTS, work)
    servers.stop(master, signal.SIGQUIT)
    same(json.loads(out(tool, "latency", "--json", file))["count"], NGINX_REQUESTS)
    unfinished = ask(file, "SELECT uri, pid FROM RequestBegin WHERE activity NOT IN "
                     "(SELECT activity FROM RequestEnd)")
    same([uri for uri, _ in unfinished], ["/slow/file"])
    assert unfinished[0][1] in killed, (unfinished, killed)
    same(ask(file, "SELECT count(DISTINCT pid) FROM WorkerBegin"), [[2]])


def nothing_is_left_of_them():
    def left():
        return [line for line in (tracing / "user_events_status").read_text().splitlines()
                if line.startswith(("Memcached", "Nginx"))]
    until(lambda: not left(), "the kernel has deleted the events")


nothing_is_left_of_them.looks_at_what_is_left = True


try:
    run_chosen([memcached_is_recorded_while_it_runs, ftrace_enables_and_disables_it,
                workers_that_leave_and_come_write_what_they_do,
                a_killed_worker_leaves_the_request_that_it_did_not_finish,
                nothing_is_left_of_them])
finally:
    real.remove()
