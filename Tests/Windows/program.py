"""The program `vitrine` on a display server, or off screen."""

import os
import signal
import subprocess
from pathlib import Path

import image
from checks import Failed, claim, wait

PROJECT = Path(__file__).resolve().parent.parent.parent
CACHE = PROJECT / ".build/windows"
VITRINE = PROJECT / ".build/release/vitrine"
# Images arrive at once, so that each run loads them in the same order.
ARGUMENTS = ["--latency", "0", "--no-disk-cache"]


class Program:
    """A context manager: the program starts with `with` and is killed at its end."""

    def __init__(self, environment, *arguments):
        # A slideshow has no other screens.
        start = [*arguments, *ARGUMENTS] if "slideshow" in arguments else [*ARGUMENTS, "--screen", "list", *arguments]
        self.words = [str(word) for word in [VITRINE, *start]]
        self.environment = {**environment, "VITRINE_ASSETS": str(PROJECT / "Assets"), "SWIFT_BACKTRACE": "enable=no"}

    def __enter__(self):
        CACHE.mkdir(parents=True, exist_ok=True)
        self.error_file = open(CACHE / "errors", "w+b")
        self.process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *self.words], env=self.environment,
                                        stdin=subprocess.DEVNULL, stderr=self.error_file)
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.error_file.close()

    @property
    def lines(self):
        """The lines of standard error, including those of libraries."""
        return os.pread(self.error_file.fileno(), 100_000, 0).decode(errors="replace").splitlines()

    @property
    def errors(self):
        """The lines of the program itself."""
        return [line for line in self.lines if line.startswith("vitrine: ")]

    def says(self, line):
        wait(f"“{line}”", lambda: line in self.errors, 20, lambda: f"standard error: {self.errors}")

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def ends(self, code=0, timeout=20):
        wait("the program ends", lambda: self.process.poll() is not None, timeout, lambda: f"standard error: {self.errors}")
        found = self.process.returncode
        claim(found == code, f"exit code {found}, not {code}; standard error: {self.errors}")

    def figures(self):
        """Returns the processor ticks and the number of context switches since the start."""
        folder = Path(f"/proc/{self.process.pid}")
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        wakings = 0
        for thread in (folder / "task").iterdir():
            status = (thread / "status").read_text()
            wakings += sum(int(line.split()[1]) for line in status.splitlines() if "ctxt_switches" in line)
        return int(fields[11]) + int(fields[12]), wakings


def run_script(environment, lines, shots, *arguments):
    """Runs a script to its end. A line `shot NAME` takes a screenshot. Returns the screenshots by name."""
    CACHE.mkdir(parents=True, exist_ok=True)
    files = {name: CACHE / f"shot-{number}.png" for number, name in enumerate(shots)}
    for file in files.values():
        file.unlink(missing_ok=True)
    text = "".join((f"screenshot {files[line[5:]]}" if line.startswith("shot ") else line) + "\n" for line in lines)
    script = CACHE / "script.vitrine"
    script.write_text(text)
    with Program(environment, *arguments, "--script", script) as program:
        program.ends(timeout=120)
    return {name: read(file) for name, file in files.items()}


def read(file):
    """Reads a PNG file with ImageMagick, which is a hundred times faster than Python."""
    result = subprocess.run(["convert", file, "-alpha", "off", "-depth", "8", "ppm:-"], timeout=30,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode:
        raise Failed(f"{file}: {result.stderr.decode().strip()}")
    return image.read_ppm(result.stdout)
