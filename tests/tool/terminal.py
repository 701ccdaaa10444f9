# SPDX-License-Identifier: MIT
"""A terminal with a screen, as far as the tool uses one. It raises on all else."""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

SEQUENCE = re.compile(r"\x1b\[(\??)(\d*)([A-Za-z])")
# nohup(1) around all tests would make the tool ignore it, too.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def on_terminal(*command, answer=None, **environment):
    """
    What a command prints on a terminal; on_terminal.status is its exit status. Once
    answer(bytes so far) returns bytes, these are typed. NO_COLOR is unset unless given.
    """
    pid, terminal = pty.fork()
    if not pid:
        inherited = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        os.execve(command[0], command, {**inherited, "TERM": "xterm", "USEREVENTS_PAGER": "",
                                       **environment})
    shown = b""
    while True:
        assert select.select([terminal], [], [], 600)[0], shown[-2000:]
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # its other end is closed
            break
        if not piece:
            break
        shown += piece
        typed = answer(shown) if answer else None
        if typed:
            os.write(terminal, typed)
            answer = None
    os.close(terminal)
    on_terminal.status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return shown.decode().replace("\r\n", "\n")


class Terminal:
    def __init__(self, *args, rows=24, columns=80, environment=None):
        self.rows, self.columns, self.text, self.before = rows, columns, "", ""
        self.has_other_screen = self.hides_cursor = self.cuts_lines = False
        self.has_scrolled = False
        self.clear()
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        control, self.slave = pty.openpty()
        self.fd = control
        self.resize(rows, columns, notify=False)
        self.modes = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *args], stdin=self.slave, stdout=self.slave, stderr=self.slave,
            env={**os.environ, "TERM": "xterm", "USEREVENTS_PAGER": "", **(environment or {})})
        self.pid = self.process.pid

    def clear(self):
        self.lines = [[" "] * self.columns for _ in range(self.rows)]
        self.row = self.column = 0
        self.frame = self.text_of_lines()

    def text_of_lines(self):
        return "\n".join("".join(line).rstrip() for line in self.lines)

    def resize(self, rows, columns, notify=True):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if notify:
            self.rows, self.columns = rows, columns
            self.clear()

    def press(self, keys):
        os.write(self.fd, keys.encode())

    def put(self, character):
        if not self.has_other_screen:
            self.before += character
        elif character == "\r":
            self.column = 0
        elif character == "\n":
            self.has_scrolled |= self.row + 1 == self.rows
            self.row = min(self.row + 1, self.rows - 1)
        else:
            assert character.isprintable(), f"{character!r} reaches the screen"
            if self.column < self.columns:
                self.lines[self.row][self.column] = character
            self.column += 1

    def obey(self, private, number, letter):
        if private:
            name = {"1049": "has_other_screen", "25": "hides_cursor", "7": "cuts_lines"}[number]
            setattr(self, name, (letter == "h") == (number == "1049"))
        elif letter == "H":
            self.row = self.column = 0
        elif letter == "K":
            self.lines[self.row][self.column:] = " " * (self.columns - self.column)
            if self.row + 1 == self.rows:  # the end of the last row, with which a frame ends
                self.frame = self.text_of_lines()
        else:
            assert letter == "m" and number in ("", "7"), (number, letter)

    def feed(self, text):
        self.text += text
        while self.text:
            if self.text[0] == "\x1b":
                match = SEQUENCE.match(self.text)
                if not match:
                    assert len(self.text) < 10, f"{self.text[:20]!r} reaches the screen"
                    return
                self.obey(*match.groups())
                self.text = self.text[match.end():]
            else:
                self.put(self.text[0])
                self.text = self.text[1:]

    def read(self, seconds):
        """False at the end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            return False
        self.feed(self.decoder.decode(got))
        return bool(got)

    def is_at_rest(self):
        """The tool has taken all keys, has drawn, and sleeps."""
        unread = struct.unpack("i", fcntl.ioctl(self.slave, termios.FIONREAD, b"\0" * 4))[0]
        with open(f"/proc/{self.pid}/stat", encoding="utf-8", errors="replace") as file:
            state = file.read().rpartition(")")[2].split()[0]
        return not unread and state == "S" and not select.select([self.fd], [], [], 0)[0]

    def rest(self):
        self.wait(self.is_at_rest)

    def shown(self):
        """The last whole frame: the tool may be interrupted while it draws the next one."""
        return self.frame

    def wait(self, condition):
        """condition: a text on the screen, or a function."""
        found = condition if callable(condition) else lambda: condition in self.shown()
        end = time.monotonic() + 300
        while not found():
            assert time.monotonic() < end, f"not seen: {condition!r}\n{self.shown()}"
            self.read(0.05)

    def is_over(self):
        return self.process.poll() is not None

    def end(self):
        """Wait for the end, and check that the terminal is as it was. The exit status."""
        self.wait(self.is_over)
        while select.select([self.fd], [], [], 0)[0] and self.read(0):
            pass
        assert not self.has_other_screen and not self.hides_cursor and not self.cuts_lines
        assert termios.tcgetattr(self.slave) == self.modes, "the modes are not restored"
        os.close(self.slave)
        os.close(self.fd)
        return self.process.returncode

    def signal(self, number):
        os.kill(self.pid, number)

    def kill(self):
        if not self.is_over():
            self.signal(signal.SIGKILL)
            self.wait(self.is_over)
