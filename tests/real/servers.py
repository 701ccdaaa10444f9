#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The servers of examples/real, as the tests here and in tests/kernel run them.

As a program, "servers.py BUILD" builds them into BUILD/real, with the library of BUILD.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

tree = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(tree / "tests/tool"), str(tree / "examples/real")]
sys.dont_write_bytecode = True  # the examples are installed as they are
import drive  # noqa: E402
from document import Workshop  # noqa: E402
from waiting import children, free_port, has_ended, until  # noqa: E402

DEADLINE = 600
COMMANDS = {"set": 101, "get": 300, "delete": 80, "bogus": 5, "quit": 4}
PATHS = {"/": 200, "/page.html": 100, "/slow/file": 1, "/missing": 10}
MEMCACHED_REQUESTS, NGINX_REQUESTS = sum(COMMANDS.values()), sum(PATHS.values())


def build(build_folder):
    shop = Workshop("userevents", tree, build_folder / "lib", "none")
    try:
        environment = {**os.environ, "PKG_CONFIG_PATH": str(shop.folder / ".bin")}
        return subprocess.run([tree / "examples/real/build", build_folder / "real"],
                              env=environment).returncode
    finally:
        shop.remove()


class Servers:
    """A folder, the built servers, and those that run; all are killed at the end."""

    def __init__(self, build_folder):
        build_folder = pathlib.Path(build_folder).resolve()
        self.built = build_folder / "real"
        if not (self.built / "nginx/objs/nginx").exists():
            raise AssertionError(f"no servers: run tests/real/servers.py {build_folder}")
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.folder.chmod(0o755)  # for workers without privileges
        self.environment = {key: value for key, value in os.environ.items()
                            if not key.startswith("USEREVENTS_")}
        self.environment["LD_LIBRARY_PATH"] = str(build_folder / "lib")
        self.pids = set()

    def memcached(self, port, *options):
        pidfolder = self.folder / "pids"
        pidfolder.mkdir(exist_ok=True)
        pidfolder.chmod(0o777)
        return [str(self.built / "memcached/memcached"), "-u", "nobody", "-l", "127.0.0.1",
                "-p", str(port), "-t", "2", "-P", str(pidfolder / f"{port}"), *options]

    def memcached_pid(self, port):
        file = self.folder / f"pids/{port}"
        pid = int(until(lambda: file.exists() and file.read_text(), "memcached has started"))
        self.pids.add(pid)
        return pid

    def nginx(self, port, *options):
        """Its files are made by this."""
        site = self.folder / f"site-{port}"
        if not site.exists():
            shutil.copytree(tree / "examples/real/site", site)
            (site / "html/slow").mkdir(exist_ok=True)
            (site / "html/slow/file").write_bytes(b"\0" * 300000)
            settings = (site / "nginx.conf").read_text()
            assert ":21280;" in settings
            (site / "nginx.conf").write_text(settings.replace(":21280;", f":{port};"))
            for each in [site, *site.rglob("*")]:
                each.chmod(0o755)
        return [str(self.built / "nginx/objs/nginx"), "-p", f"{site}/", "-c", "nginx.conf",
                "-e", "stderr", *options]

    def nginx_pid(self, port):
        file = self.folder / f"site-{port}/nginx.pid"
        pid = int(until(lambda: file.exists() and file.read_text(), "nginx has started"))
        self.pids.add(pid)
        until(lambda: len(children(pid)) == 2, "nginx has two workers")
        return pid

    def start(self, command, **environment):
        process = subprocess.Popen(command, env={**self.environment, **environment},
                                   stdin=subprocess.DEVNULL)
        self.pids.add(process.pid)
        return process

    def run(self, *command, status=0):
        """Its output."""
        done = subprocess.run([str(word) for word in command], cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=DEADLINE)
        assert done.returncode == status, (command, done)
        return done.stdout

    def remove(self):
        for pid in self.pids:
            for each in [*children(pid), pid]:
                try:
                    os.kill(each, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        shutil.rmtree(self.folder, ignore_errors=True)


def stop(pid, number=signal.SIGTERM):
    os.kill(pid, number)
    until(lambda: has_ended(pid), f"process {pid} has ended")


def reload_workers(master):
    """Returns the old ones and the new ones."""
    before = children(master)
    os.kill(master, signal.SIGHUP)
    until(lambda: len(children(master)) == 2 and not children(master) & before,
          "the workers are others")
    return before, children(master)


def request_slow_file(port):
    """The connection, after the beginning of the response, which takes longer."""
    connection = drive.connect(port, 0)
    connection.sendall(b"GET /slow/file HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert connection.recv(12) == b"HTTP/1.1 200"
    return connection


if __name__ == "__main__":
    sys.exit(build(pathlib.Path(sys.argv[1]).resolve()))
