# SPDX-License-Identifier: MIT
"""A receiver of OTLP over HTTP that behaves as badly as a script says.

    receiver = Receiver(answer(503, headers=["Retry-After: 1"]), ok)

Each request, in the order of arrival, meets the next behaviour; the last one stays. A behaviour
is given a Conversation, and returns true if the connection stays open.
"""
import gzip
import socket
import struct
import threading
import time

CHUNK = 65536


class Request:
    def __init__(self, line, headers, body):
        self.line = line.strip()
        self.method, self.path = line.split()[:2]
        self.headers, self.body = headers, body

    def plain(self):
        return gzip.decompress(self.body) \
            if self.headers.get("content-encoding") == "gzip" else self.body


class Conversation:
    """A connection in the hands of a behaviour."""

    def __init__(self, receiver, connection):
        self.receiver, self.connection = receiver, connection
        self.file = connection.makefile("rb")

    def head(self):
        """The request line and the headers: None at the end."""
        line = self.file.readline().decode()
        if not line:
            return None
        headers = {}
        while (header := self.file.readline().decode().strip()):
            name, _, value = header.partition(":")
            headers[name.lower()] = value.strip()
        self.line, self.headers = line, headers
        return line

    def take(self, is_accepted):
        """Read the request, and keep it."""
        body = self.file.read(int(self.headers.get("content-length", 0)))
        request = Request(self.line, self.headers, body)
        with self.receiver.lock:
            self.receiver.requests.append(request)
            self.receiver.times.append(time.monotonic())
            if is_accepted:
                self.receiver.accepted.append(request)
        return request

    def send(self, data):
        try:
            self.connection.sendall(data)
            return True
        except OSError:
            return False

    def reset(self):
        """Cut the connection off: the other side sees ECONNRESET."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   struct.pack("ii", 1, 0))
        self.file.close()
        self.connection.close()
        return False


class Receiver:
    """One that does not listen yet has a port that refuses connections, and nobody else gets."""

    def __init__(self, *script, context=None, family=socket.AF_INET, listens=True):
        self.script, self.context = list(script), context
        self.lock, self.over = threading.Lock(), threading.Event()
        self.requests, self.accepted, self.times, self.trouble = [], [], [], []
        self.arrived = 0
        self.socket = socket.socket(family)
        self.socket.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.url = f"{'https' if context else 'http'}://localhost:{self.port}"
        self.is_listening = False
        if listens:
            self.listen()

    def listen(self):
        self.is_listening = True
        self.socket.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection = self.socket.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def behaviour(self):
        with self.lock:
            self.arrived += 1
            return self.script[min(self.arrived, len(self.script)) - 1]

    def serve(self, connection):
        try:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            conversation = Conversation(self, connection)
            while conversation.head() and self.behaviour()(conversation):
                pass
            conversation.file.close()
        except (OSError, ValueError) as error:  # not TLS, or not HTTP
            self.trouble.append(error)
        connection.close()

    def close(self):
        if not self.over.is_set():
            self.over.set()
            if self.is_listening:
                self.socket.shutdown(socket.SHUT_RDWR)  # ends accept()
            self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


# Behaviours

def answer(status, body=b"", kind="application/x-protobuf", headers=(), accepts=None):
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(body)}", *headers]
    if kind:
        lines.append(f"Content-Type: {kind}")
    data = "\r\n".join(lines + ["", ""]).encode() + body

    def behave(conversation):
        conversation.take(200 <= status < 300 if accepts is None else accepts)
        return conversation.send(data)
    return behave


ok = answer(200)


def field(number, value):
    """A field of a message: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def partial(rejected, text=b""):
    return answer(200, field(1, field(1, rejected) + field(2, text)))


def raw(data, accepts=False):
    """Whatever bytes, then the end of the connection."""
    def behave(conversation):
        conversation.take(accepts)
        conversation.send(data)
        return False
    return behave


def cut_request(conversation):
    conversation.file.read(100)
    return conversation.reset()


def cut_before_answer(conversation):
    conversation.take(False)
    return conversation.reset()


def silent(conversation):
    """Take the request, and never say a word."""
    conversation.take(False)
    conversation.receiver.over.wait(120)
    return False


def endless(head, part, accepts, pause=0):
    """Never stop to answer."""
    def behave(conversation):
        conversation.take(accepts)
        going = conversation.send(head)
        while going and not conversation.receiver.over.wait(pause):
            going = conversation.send(part)
        return False
    return behave


# Requests that have arrived

def fields(message):
    """The fields of a message: (number, value), with fixed64 as a number."""
    at = 0
    while at < len(message):
        key, at = read_varint(message, at)
        if key & 7 == 0:
            value, at = read_varint(message, at)
        elif key & 7 == 1:
            value, at = struct.unpack_from("<Q", message, at)[0], at + 8
        else:
            assert key & 7 == 2, key
            length, at = read_varint(message, at)
            value, at = message[at:at + length], at + length
        yield key >> 3, value


def read_varint(message, at):
    number = shift = 0
    while True:
        number |= (message[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if message[at - 1] < 128:
            return number, at


def of(message, number):
    return [value for key, value in fields(message) if key == number]


def items(request):
    """The log records or spans of a request."""
    return [item for resource in of(request.plain(), 1) for scope in of(resource, 2)
            for item in of(scope, 2)]
