"""Helpers for checks on machines and display servers: one line per check, and a count at the end."""

import shutil
import signal
import subprocess
import sys
import time


class Failed(Exception):
    pass


def claim(condition, message):
    if not condition:
        raise Failed(message)


def wait(what, condition, timeout, details=lambda: ""):
    """Waits until `condition` returns a true value, and returns that value."""
    deadline = time.monotonic() + timeout
    while True:
        found = condition()
        if found:
            return found
        claim(time.monotonic() < deadline, f"{what}: not within {timeout} s; {details()}")
        time.sleep(0.05)


def need_tools(name, tools):
    """Exits with one line if a program is missing. `run.sh` installs the programs on Debian only."""
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        print(f"{name}: missing: {', '.join(missing)}", file=sys.stderr)
        sys.exit(1)


def end_by_signal():
    """Exits on SIGINT and SIGTERM, so that started processes are ended too."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(1))


class Checks:
    """Runs checks one after the other; a failed check does not stop the others."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, body):
        begin = time.monotonic()
        try:
            note = body()
            self.passed += 1
            print(f"ok    {name}{f': {note}' if note else ''} ({time.monotonic() - begin:.1f} s)", flush=True)
        except (Failed, OSError, subprocess.SubprocessError) as problem:
            self.failed += 1
            print(f"FAIL  {name}: {problem}", flush=True)

    def end(self):
        """Prints the count and returns the exit code."""
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
