#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Starts a server, sends it requests from four clients at the same time, and stops it.

drive.py memcached|nginx PORT COMMAND...

COMMAND starts the server, which listens on 127.0.0.1:PORT, and ends it on SIGTERM, as
"userevents run" does. Prints how many requests were sent.
"""
import socket
import subprocess
import sys
import threading
import time

CLIENTS = 4
ROUNDS = 25
DEADLINE = 300


def connect(port, client):
    """Each client has an address of its own."""
    end = time.monotonic() + DEADLINE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), DEADLINE,
                                            (f"127.0.0.{client + 1}", 0))
        except ConnectionRefusedError:  # it is starting
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def at_once(work, port):
    """
    Runs work(port, client, others) for all clients; returns the sum of their results. others
    is a barrier.
    """
    results = []
    others = threading.Barrier(CLIENTS, timeout=DEADLINE)

    def run(client):
        try:
            results.append(work(port, client, others))
        except BaseException:
            others.abort()  # they need not wait for this one
            raise

    threads = [threading.Thread(target=run, args=[client]) for client in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(results) != CLIENTS:
        raise RuntimeError("a client failed, see above")
    return sum(results)


def read_until(stream, last):
    for line in stream:
        if line == last:
            return
    raise EOFError(f"the server ended before {last!r}")


def memcached_client(port, client, others):
    with connect(port, client) as sock, sock.makefile("rb") as stream:
        count = 0

        def ask(text, last):
            nonlocal count
            sock.sendall(text)
            read_until(stream, last)
            count += 1

        for number in range(ROUNDS):
            key = b"key-%d-%d" % (client, number)
            ask(b"set %s 0 0 100\r\n%s\r\n" % (key, b"x" * 100), b"STORED\r\n")
            ask(b"get %s\r\n" % key, b"END\r\n")
            ask(b"get missing\r\n", b"END\r\n")
            ask(b"get %s missing %s\r\n" % (key, key), b"END\r\n")
        if client == 1:  # its value comes later than its command
            sock.sendall(b"set late 0 0 1\r\n")
            time.sleep(0.3)
            ask(b"x\r\n", b"STORED\r\n")
        if client == 2:
            for _ in range(5):
                ask(b"bogus\r\n", b"ERROR\r\n")
        pipelined = 20
        sock.sendall(b"delete missing\r\n" * pipelined)
        for _ in range(pipelined):
            read_until(stream, b"NOT_FOUND\r\n")
        others.wait()  # or a later connection could get the same number
        sock.sendall(b"quit\r\n")
        assert stream.read() == b""
        return count + pipelined + 1


def memcached(port):
    return at_once(memcached_client, port)


def get(sock, stream, path):
    """Returns the status, and reads the body."""
    sock.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path)
    status = int(stream.readline().split()[1])
    length = 0
    for line in iter(stream.readline, b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if len(stream.read(length)) != length:
        raise EOFError("the server ended within an answer")
    return status


def nginx_client(port, client, others):
    with connect(port, client) as sock, sock.makefile("rb") as stream:
        paths = [b"/", b"/", b"/page.html"] * ROUNDS
        if client == 1:
            paths.append(b"/slow/file")
        if client == 2:
            paths += [b"/missing"] * 10
        for path in paths:
            status = get(sock, stream, path)
            assert status == (404 if path == b"/missing" else 200), (path, status)
        others.wait()
        return len(paths)


def nginx(port):
    return at_once(nginx_client, port)


SERVERS = {"memcached": memcached, "nginx": nginx}


def main(drive, port, command):
    server = subprocess.Popen(command)
    try:
        print(f"{drive(port)} requests", flush=True)
    finally:
        server.terminate()
        status = server.wait(DEADLINE)
    return status


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in SERVERS:
        sys.exit(__doc__)
    sys.exit(main(SERVERS[sys.argv[1]], int(sys.argv[2]), sys.argv[3:]))
