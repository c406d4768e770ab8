"""What the checks on whole machines and servers have in common: a line a check, and a count at the end."""

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
    """Waits until something is so; returns what the condition gave."""
    deadline = time.monotonic() + timeout
    while True:
        found = condition()
        if found:
            return found
        claim(time.monotonic() < deadline, f"{what}: not within {timeout} s; {details()}")
        time.sleep(0.05)


def need_tools(name, tools):
    """Ends with one line where a program is missing; `run.sh` installs them only on Debian."""
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        print(f"{name}: missing: {', '.join(missing)}", file=sys.stderr)
        sys.exit(1)


def end_by_signal():
    """Has what was started end with this program, however it is ended."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(1))


class Checks:
    """Does them one after the other, whatever becomes of each."""

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
        """Prints the count; the exit code."""
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
