#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the servers of examples/real, and compares their events with the requests that
clients sent.

Arguments: the tool, the tree, the build folder.
"""
import collections
import json
import os
import pathlib
import re
import signal
import sys

import servers
from servers import COMMANDS, MEMCACHED_REQUESTS, NGINX_REQUESTS, PATHS, drive, until
from document import Workshop, commands_of
from tap import run, same

tool, tree, build = (str(pathlib.Path(name).resolve()) for name in sys.argv[1:4])
page = (pathlib.Path(tree) / "examples/real/README.md").read_text()
status = servers.build(pathlib.Path(build))
assert status == 0, "no servers, see above"
real = servers.Servers(build)
recordings = {}


def ask(file, sql):
    return [list(json.loads(line).values()) for line in
            real.run(tool, "query", "--json", file, sql).splitlines()]


def count(file, event):
    return ask(file, f"SELECT count(*) FROM events WHERE event = '{event}'")[0][0]


def recorded(name, command, requests):
    """Under "userevents run", once."""
    if name not in recordings:
        file = str(real.folder / f"{name}.uecap")
        port = servers.free_port()
        server = real.start([tool, "run", "--record", file, "--", *command(port)])
        same(drive.SERVERS[name](port), requests)
        server.terminate()
        same(server.wait(servers.DEADLINE), 0)
        recordings[name] = file
    return recordings[name]


def memcached():
    return recorded("memcached", real.memcached, MEMCACHED_REQUESTS)


def nginx():
    return recorded("nginx", lambda port: real.nginx(port, "-g", "daemon off;"),
                    NGINX_REQUESTS)


def pairs_are_complete(file, begin, end, requests):
    same((count(file, begin), count(file, end)), (requests, requests))
    same(ask(file, f"SELECT count(*), count(DISTINCT activity) FROM {begin} b "
             f"JOIN {end} e USING (activity) WHERE e.time >= b.time"), [[requests, requests]])
    latency = json.loads(real.run(tool, "latency", "--json", file))
    same(latency["count"], requests)


def memcached_writes_a_begin_and_an_end_of_each_command():
    pairs_are_complete(memcached(), "CommandBegin", "CommandEnd", MEMCACHED_REQUESTS)
    same(dict(ask(memcached(), "SELECT command, count(*) FROM CommandBegin GROUP BY 1")),
         COMMANDS)


def replies_hits_and_bytes_are_those_that_the_clients_read():
    same(ask(memcached(), "SELECT command, reply, hits, count(*) FROM CommandBegin "
             "JOIN CommandEnd USING (activity) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"),
         [["bogus", "ERROR", 0, 5], ["delete", "NOT_FOUND", 0, 80], ["get", "END", 0, 100],
          ["get", "VALUE", 1, 100], ["get", "VALUE", 2, 100], ["quit", "", 0, 4],
          ["set", "STORED", 0, 101]])
    values = ask(memcached(), "SELECT key, hits, bytes FROM CommandBegin "
                 "JOIN CommandEnd USING (activity) WHERE command = 'get' AND hits > 0")
    for key, hits, length in values:
        same(length, hits * (len(f"VALUE {key} 0 100\r\n") + 102) + len("END\r\n"))
    same(len(values), 200)


def connections_have_their_commands():
    same(ask(memcached(), "SELECT count(*), sum(reason = 'normal') FROM ConnectionClose"),
         [[4, 4]])
    same(sorted(ask(memcached(), "SELECT count(*) FROM CommandBegin GROUP BY connection")),
         [[121], [121], [122], [126]])


def both_threads_of_memcached_have_two_clients_each():
    same(len(ask(memcached(), "SELECT tid, count(*) FROM CommandBegin GROUP BY 1")), 2)
    same(ask(memcached(), "SELECT count(DISTINCT connection) FROM CommandBegin GROUP BY tid"),
         [[2], [2]])
    same(ask(memcached(), "SELECT DISTINCT comm FROM CommandBegin"), [["mc-worker"]])


def slowest(file):
    return json.loads(real.run(tool, "latency", "-s", 1, "--json", file))["slowest"][0]


def the_slowest_are_those_that_were_made_slow():
    assert '"late"' in json.dumps(slowest(memcached())), slowest(memcached())
    assert '"/slow/file"' in json.dumps(slowest(nginx())), slowest(nginx())


def nginx_writes_a_begin_and_an_end_of_each_request():
    pairs_are_complete(nginx(), "RequestBegin", "RequestEnd", NGINX_REQUESTS)
    same(dict(ask(nginx(), "SELECT uri, count(*) FROM RequestBegin GROUP BY 1")), PATHS)


def status_and_client_are_those_of_the_request():
    same(ask(nginx(), "SELECT uri, status, count(*) FROM RequestBegin "
             "JOIN RequestEnd USING (activity) GROUP BY 1, 2 ORDER BY 1"),
         [["/", 200, 200], ["/missing", 404, 10], ["/page.html", 200, 100],
          ["/slow/file", 200, 1]])
    same(ask(nginx(), "SELECT DISTINCT client FROM RequestBegin JOIN RequestEnd "
             "USING (activity) WHERE status >= 400"), [["127.0.0.3"]])
    same(ask(nginx(), "SELECT bytes > 300000 FROM RequestBegin JOIN RequestEnd "
             "USING (activity) WHERE uri = '/slow/file'"), [[1]])


def workers_of_nginx_write_from_their_begin_to_their_end():
    same(ask(nginx(), "SELECT b.worker, b.pid = e.pid FROM WorkerBegin b JOIN WorkerEnd e "
             "USING (worker) ORDER BY 1"), [[0, 1], [1, 1]])
    same(ask(nginx(), "SELECT count(*) FROM RequestBegin r JOIN WorkerBegin b USING (pid) "
             "JOIN WorkerEnd e USING (pid) WHERE r.time BETWEEN b.time AND e.time"),
         [[NGINX_REQUESTS]])


def workers_that_leave_and_come_write_into_the_ring_of_a_daemon():
    port, ring = servers.free_port(), str(real.folder / "daemon.ring")
    same(real.start(real.nginx(port), USEREVENTS_RING=ring).wait(servers.DEADLINE), 0)
    master = real.nginx_pid(port)
    same(drive.nginx(port), NGINX_REQUESTS)
    old, new = servers.reload_workers(master)
    same(drive.nginx(port), NGINX_REQUESTS)
    servers.stop(master, signal.SIGQUIT)
    pairs_are_complete(ring, "RequestBegin", "RequestEnd", 2 * NGINX_REQUESTS)
    for workers in old, new:
        named = ",".join(map(str, workers))
        same(ask(ring, f"SELECT count(*) FROM RequestBegin WHERE pid IN ({named})"),
             [[NGINX_REQUESTS]])
    same((count(ring, "WorkerBegin"), count(ring, "WorkerEnd")), (4, 4))


def requests_after_an_upgrade(*variables):
    """Of a new binary, which has only these variables of the environment."""
    port = servers.free_port()
    ring = str(real.folder / f"upgrade-{port}.ring")
    command = real.nginx(port)
    settings = real.folder / f"site-{port}/nginx.conf"
    settings.write_text("".join(f"env {name};\n" for name in variables) + settings.read_text())
    same(real.start(command, USEREVENTS_RING=ring).wait(servers.DEADLINE), 0)
    old = real.nginx_pid(port)
    os.kill(old, signal.SIGUSR2)
    until(lambda: (settings.parent / "nginx.pid.oldbin").exists() and
          (settings.parent / "nginx.pid").exists(), "there is a new binary")
    new = real.nginx_pid(port)
    servers.stop(old, signal.SIGQUIT)
    same(drive.nginx(port), NGINX_REQUESTS)
    servers.stop(new, signal.SIGQUIT)
    same(count(ring, "WorkerEnd") >= 2, True)  # of the old one
    return ask(ring, "SELECT count(*) FROM events WHERE event = 'RequestEnd'")[0][0]


def an_upgraded_nginx_writes_if_it_has_the_variable():
    same(requests_after_an_upgrade("LD_LIBRARY_PATH"), 0)
    same(requests_after_an_upgrade("LD_LIBRARY_PATH", "USEREVENTS_RING"), NGINX_REQUESTS)


def a_killed_worker_leaves_the_request_that_it_did_not_finish():
    port, ring = servers.free_port(), str(real.folder / "killed.ring")
    same(real.start(real.nginx(port), USEREVENTS_RING=ring).wait(servers.DEADLINE), 0)
    master = real.nginx_pid(port)
    with servers.request_slow_file(port):
        begun = until(lambda: ask(ring, "SELECT pid, activity FROM RequestBegin"), "it began")
        os.kill(begun[0][0], signal.SIGKILL)
        until(lambda: count(ring, "WorkerBegin") == 3, "nginx has another worker")
    same(drive.nginx(port), NGINX_REQUESTS)
    servers.stop(master, signal.SIGQUIT)
    latency = json.loads(real.run(tool, "latency", "--json", ring))
    same(latency["count"], NGINX_REQUESTS)
    shown = real.run(tool, "latency", "-s", "0", ring)
    assert re.search(r"^  1 starts? never ended", shown, re.M), shown
    same(ask(ring, "SELECT pid, activity FROM RequestBegin WHERE activity NOT IN "
             "(SELECT activity FROM RequestEnd)"), begun)
    same((count(ring, "WorkerBegin"), count(ring, "WorkerEnd")), (3, 2))


def a_request_that_nginx_refuses_has_an_event():
    port = servers.free_port()
    file = str(real.folder / "refused.uecap")
    server = real.start([tool, "run", "--record", file, "--",
                         *real.nginx(port, "-g", "daemon off;")])
    with drive.connect(port, 3) as connection:
        connection.sendall(b"no request\r\n\r\n")
        assert b" 400 " in connection.makefile("rb").readline()
    server.terminate()
    same(server.wait(servers.DEADLINE), 0)
    same(ask(file, "SELECT client, status, level FROM RequestRefused"),
         [["127.0.0.4", 400, 3]])
    same(count(file, "RequestBegin"), 0)


def memcached_as_a_daemon_writes_into_a_ring():
    port, ring = servers.free_port(), str(real.folder / "memcached.ring")
    same(real.start(real.memcached(port, "-d"), USEREVENTS_RING=ring)
         .wait(servers.DEADLINE), 0)
    pid = real.memcached_pid(port)
    same(drive.memcached(port), MEMCACHED_REQUESTS)
    servers.stop(pid, signal.SIGKILL)
    pairs_are_complete(ring, "CommandBegin", "CommandEnd", MEMCACHED_REQUESTS)
    same(ask(ring, "SELECT DISTINCT pid FROM events"), [[pid]])


def without_a_listener_they_work_as_ever():
    port = servers.free_port()
    server = real.start(real.memcached(port))
    same(drive.memcached(port), MEMCACHED_REQUESTS)
    server.terminate()
    server.wait(servers.DEADLINE)
    port = servers.free_port()
    server = real.start(real.nginx(port, "-g", "daemon off;"))
    same(drive.nginx(port), NGINX_REQUESTS)
    server.terminate()
    same(server.wait(servers.DEADLINE), 0)


# Parts of the page's output that differ from run to run, and how they are compared.
MASKS = (
    (r"\d+-\d\d-\d\dT[\d:.]+Z|\d\d:\d\d:\d\d\.\d+", "TIME"),
    (r"[\d.]+ (ns|us|ms|s)\b", "DURATION"),
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ACTIVITY"),
    (r"\[\d+\]|\b(pid|tid|cpu|connection)=\d+", "NUMBER"),
    (r"^(\w+:\w+ +\d+) +[\d.]+", r"\1 RATE"),
    (r"\s+", " "),
)


def masked(lines):
    for pattern, shown in MASKS:
        lines = [re.sub(pattern, shown, line).strip() for line in lines]
    return lines


def shown_commands():
    """(command, output, how many of its lines are compared)"""
    for number, block in re.findall(r"(?:<!-- compare: (\d+) lines? -->\n)?```console\n(.*?)```",
                                    page, re.S):
        for command, lines in commands_of(block):
            yield command, lines, int(number) if number else len(lines)


def the_commands_of_the_page_print_what_it_shows():
    shop = Workshop(tool, tree, pathlib.Path(build) / "lib", "none")
    shown = 0
    try:
        shop.folder.chmod(0o755)
        (shop.folder / "examples").symlink_to(pathlib.Path(tree) / "examples")
        (shop.folder / "build").mkdir()
        (shop.folder / "build/real").symlink_to(pathlib.Path(build) / "real")
        for command, lines, compared in shown_commands():
            got = shop.run(command, servers.DEADLINE).splitlines()
            if os.environ.get("UE_TEST_SHOW"):
                print("\n".join(["$ " + command, *got]))
                continue
            same(len(got), len(lines))
            same(masked(got[:compared]), masked(lines[:compared]))
            shown += 1
    finally:
        shop.remove()
    assert shown >= 10, shown


def the_page_has_the_size_of_the_patches():
    sizes = collections.Counter()
    for name in ("memcached", "nginx"):
        patch = (pathlib.Path(tree) / f"examples/real/{name}.patch").read_text()
        sizes[name] = len(re.findall(r"^\+(?!\+\+ )", patch, re.M))
    for name, lines in sizes.items():
        assert re.search(rf"`{name}\.patch`.*\b{lines} lines", page), (name, lines)


try:
    run([memcached_writes_a_begin_and_an_end_of_each_command,
         replies_hits_and_bytes_are_those_that_the_clients_read, connections_have_their_commands,
         both_threads_of_memcached_have_two_clients_each,
         nginx_writes_a_begin_and_an_end_of_each_request,
         status_and_client_are_those_of_the_request,
         workers_of_nginx_write_from_their_begin_to_their_end,
         the_slowest_are_those_that_were_made_slow,
         workers_that_leave_and_come_write_into_the_ring_of_a_daemon,
         an_upgraded_nginx_writes_if_it_has_the_variable,
         a_killed_worker_leaves_the_request_that_it_did_not_finish,
         a_request_that_nginx_refuses_has_an_event, memcached_as_a_daemon_writes_into_a_ring,
         without_a_listener_they_work_as_ever, the_commands_of_the_page_print_what_it_shows,
         the_page_has_the_size_of_the_patches])
finally:
    real.remove()
