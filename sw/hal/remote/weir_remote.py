#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Weir from Python: the register port for what plays a driver, the JSON door for what watches and steers a run.

    port = RegisterPort("unix:/tmp/weir.port")        door = JsonDoor("unix:/tmp/weir.json")
    port.write(0x0c, 0x5eed)                          door.call("peek", name="pg.xoff[0][3]")
    port.ready()                                      door.subscribe("stop"); door.next_event()

From a shell: weir_remote.py json ADDRESS COMMAND [NAME=VALUE…]
              weir_remote.py port ADDRESS read ADDR | write ADDR VALUE | delay NS | now
Only the standard library. The messages are in docs/remote.md.
"""

import argparse
import collections
import json
import socket
import struct
import sys

PROTOCOL = 1
ANY_MAP = 0xFFFFFFFF
HEADER = struct.Struct("<HBBI")
LONGEST = 1024
REPLY = 0x80
KINDS = {
    "hello": 1,
    "read": 2,
    "write": 3,
    "posted_write": 4,
    "barrier": 5,
    "now": 6,
    "delay": 7,
    "wait_irq": 8,
    "log": 9,
    "ready": 10,
    "advance": 11,
    "run": 12,
    "bye": 13,
    "subscribe": 14,
    "interrupt": 64,
    "end": 65,
}
STATUSES = ["ok", "bus error", "time-out", "bad request", "refused", "ended"]
NUMBERS = {"read": 1, "write": 2, "delay": 1, "now": 0, "ready": 0}  # of the command line
MODES = {"lockstep": 0, "run": 1, "follow": 2}


class WeirError(Exception):
    """What the prototype answered, or why it did not. `code` is for programs."""

    def __init__(self, code, message, hint=""):
        super().__init__(f"{message} ({hint})" if hint else message)
        self.code = code


def connect(address, timeout):
    """A connected socket for unix:PATH, tcp:PORT or tcp:HOST:PORT."""
    kind, _, place = address.partition(":")
    try:
        if kind == "unix" and place:
            made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            made.settimeout(timeout)
            made.connect(place)
            return made
        if kind == "tcp":
            host, _, port = place.rpartition(":")
            made = socket.create_connection((host.strip("[]") or "127.0.0.1", int(port)), timeout)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return made
    except (OSError, ValueError) as error:
        raise WeirError("not_connected", f"{address}: {error}") from None
    raise WeirError("not_connected", f"{address}: this is no address", "unix:PATH, tcp:PORT, tcp:HOST:PORT")


class RegisterPort:
    """A driver's way to the chips of a run that was started with --port. Words are the bus's octets, little-endian."""

    def __init__(self, address, map_hash=ANY_MAP, timeout=30.0):
        self._socket = connect(address, timeout)
        self._tag = 0
        self.now_ns = 0  # of the last reply
        self.interrupts = []  # (asic, ns), pushed after subscribe
        _, rest = self._ask("hello", struct.pack("<II", PROTOCOL, map_hash))
        self.map_hash, self.asics = struct.unpack_from("<II", rest)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Says BYE, if it can."""
        try:
            self._ask("bye")
        except WeirError:
            pass
        self._socket.close()

    def read(self, address, asic=0):
        return self._ask("read", struct.pack("<I", address), asic)[0]

    def write(self, address, value, asic=0):
        self._ask("write", struct.pack("<II", address, value), asic)

    def posted_write(self, address, value, asic=0):
        """Nobody waits; `barrier` raises when one failed."""
        self._send("posted_write", struct.pack("<II", address, value), asic)

    def barrier(self):
        self._ask("barrier")

    def now(self):
        """Simulated time in ns."""
        self._ask("now")
        return self.now_ns

    def delay(self, ns):
        self._ask("delay", struct.pack("<Q", ns))

    def advance(self, until_ns):
        self._ask("advance", struct.pack("<Q", until_ns))

    def wait_irq(self, timeout_ns, asic=0):
        """True: the interrupt line was asserted in time."""
        try:
            self._ask("wait_irq", struct.pack("<Q", timeout_ns), asic)
        except WeirError as error:
            if error.code != "time-out":
                raise
            return False
        return True

    def log(self, text, level=1):
        """A line for people in the run's log; levels 0 error, 1 warning, 2 information."""
        self._send("log", struct.pack("<I", level) + text.encode()[: LONGEST - HEADER.size - 4])

    def ready(self):
        """Boot is over; returns when the workload begins."""
        self._ask("ready")

    def run(self, mode="run"):
        """lockstep: time passes in requests only; run: by itself; follow: lockstep, but the run may end."""
        self._ask("run", struct.pack("<I", MODES[mode]))

    def subscribe(self, on=True):
        self._ask("subscribe", struct.pack("<I", on))

    def wait_end(self):
        """Waits until the run is over, and returns why."""
        while True:
            kind, asic, _, payload = self._receive()
            if kind == KINDS["end"]:
                return payload.decode(errors="replace")
            self._take_interrupt(kind, asic, payload)

    def _send(self, kind, payload=b"", asic=0):
        self._tag = (self._tag + 1) & 0xFFFFFFFF
        try:
            self._socket.sendall(HEADER.pack(HEADER.size + len(payload), KINDS[kind], asic, self._tag) + payload)
        except OSError as error:
            raise WeirError("not_connected", f"the connection is lost: {error}") from None

    def _octets(self, count):
        parts = b""
        while len(parts) < count:
            try:
                part = self._socket.recv(count - len(parts))
            except TimeoutError:
                raise WeirError("time-out", "no reply in time") from None
            except OSError as error:
                raise WeirError("not_connected", f"the connection is lost: {error}") from None
            if not part:
                raise WeirError("not_connected", "the connection is lost: the prototype has gone")
            parts += part
        return parts

    def _receive(self):
        length, kind, asic, tag = HEADER.unpack(self._octets(HEADER.size))
        return kind, asic, tag, self._octets(length - HEADER.size)

    def _take_interrupt(self, kind, asic, payload):
        if kind == KINDS["interrupt"]:
            self.interrupts.append((asic, struct.unpack("<Q", payload)[0]))

    def _ask(self, kind, payload=b"", asic=0):
        self._send(kind, payload, asic)
        while True:
            got, of, tag, answer = self._receive()
            if got == KINDS["end"]:
                raise WeirError("ended", answer.decode(errors="replace"))
            if got == KINDS[kind] | REPLY and tag == self._tag:
                break
            self._take_interrupt(got, of, answer)
        status, value, self.now_ns = struct.unpack_from("<IIQ", answer)
        rest = answer[16:]
        if status:
            word = STATUSES[status] if status < len(STATUSES) else str(status)
            raise WeirError(word, f"{kind}: {word}", rest.decode(errors="replace"))
        return value, rest


class JsonDoor:
    """The JSON door of a run that was started with --json."""

    def __init__(self, address, timeout=30.0):
        self._socket = connect(address, timeout)
        self._lines = self._socket.makefile("rb")
        self._id = 0
        self._events = collections.deque()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._lines.close()
        self._socket.close()

    def call(self, command, /, **arguments):
        """The result of a command; WeirError when it was not carried out."""
        self._id += 1
        request = {"id": self._id, "command": command, "arguments": arguments}
        try:
            self._socket.sendall(json.dumps(request).encode() + b"\n")
        except OSError as error:
            raise WeirError("not_connected", f"the connection is lost: {error}") from None
        while True:
            message = self._message()
            if "event" in message:
                self._events.append(message)
            elif message.get("id") in (self._id, None):
                break
        if message["ok"]:
            return message["result"]
        error = message["error"]
        raise WeirError(error["code"], error["message"], error.get("hint", ""))

    def subscribe(self, *events):
        """Of stop, interrupt, log, end; replaces what was wanted before."""
        return self.call("subscribe", events=list(events))

    def next_event(self):
        """The next pushed event, waiting for it."""
        while not self._events:
            message = self._message()
            if "event" in message:
                self._events.append(message)
        return self._events.popleft()

    def _message(self):
        try:
            line = self._lines.readline()
        except TimeoutError:
            raise WeirError("time-out", "no reply in time") from None
        except OSError as error:
            raise WeirError("not_connected", f"the connection is lost: {error}") from None
        if not line:
            raise WeirError("not_connected", "the connection is lost: the prototype has gone")
        return json.loads(line)


def main(words=None):
    parser = argparse.ArgumentParser(description="Asks a running Weir.")
    doors = parser.add_subparsers(dest="door", required=True)
    asked = doors.add_parser("json", help="one command through the JSON door")
    asked.add_argument("address")
    asked.add_argument("command")
    asked.add_argument("arguments", nargs="*", metavar="NAME=VALUE")
    driven = doors.add_parser("port", help="one request through the register port")
    driven.add_argument("address")
    driven.add_argument("request", choices=sorted(NUMBERS))
    driven.add_argument("numbers", nargs="*", type=lambda text: int(text, 0))
    driven.add_argument("--asic", type=int, default=0)
    given = parser.parse_args(words)
    if given.door == "port" and len(given.numbers) != NUMBERS[given.request]:
        parser.error(f"{given.request} takes {NUMBERS[given.request]} numbers: read ADDR, write ADDR VALUE, delay NS")
    try:
        if given.door == "json":
            arguments = dict(each.partition("=")[::2] for each in given.arguments)
            with JsonDoor(given.address) as door:
                print(json.dumps(door.call(given.command, **arguments), indent=2))
            return 0
        with RegisterPort(given.address) as port:
            if given.request in ("read", "write"):
                result = getattr(port, given.request)(*given.numbers, asic=given.asic)
            else:
                result = getattr(port, given.request)(*given.numbers)
            print(f"{result:#x}" if given.request == "read" else f"at {port.now_ns} ns")
    except WeirError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
