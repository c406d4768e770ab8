"""The program `vitrine` on a display server, or off screen."""

import os
import signal
import subprocess
from pathlib import Path

import picture
from checks import Failed, claim, wait

PROJECT = Path(__file__).resolve().parent.parent.parent
CACHE = PROJECT / ".build/windows"
VITRINE = PROJECT / ".build/release/vitrine"
# Pictures come at once, so that a run has no order of its own.
ARGUMENTS = ["--latency", "0", "--no-disk-cache"]


class Program:
    """Runs from `with` to its end, and never longer."""

    def __init__(self, environment, *arguments):
        self.words = [str(word) for word in [VITRINE, *ARGUMENTS, *arguments]]
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
        """What is on standard error, where libraries write too."""
        return os.pread(self.error_file.fileno(), 100_000, 0).decode(errors="replace").splitlines()

    @property
    def errors(self):
        """The lines of its own."""
        return [line for line in self.lines if line.startswith("vitrine: ")]

    def says(self, line):
        wait(f"“{line}”", lambda: line in self.errors, 20, lambda: f"it says {self.errors}")

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def ends(self, code=0, timeout=20):
        wait("the program ends", lambda: self.process.poll() is not None, timeout, lambda: f"it says {self.errors}")
        found = self.process.returncode
        claim(found == code, f"exit code {found}, not {code}; it says {self.errors}")

    def figures(self):
        """Ticks of the processor, and how often it was woken, since its start."""
        folder = Path(f"/proc/{self.process.pid}")
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        wakings = 0
        for thread in (folder / "task").iterdir():
            status = (thread / "status").read_text()
            wakings += sum(int(line.split()[1]) for line in status.splitlines() if "ctxt_switches" in line)
        return int(fields[11]) + int(fields[12]), wakings


def run_script(environment, lines, shots, *arguments):
    """Plays a script to its end; its screenshots in place of the words `shot NAME`, by name."""
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
    """A PNG file, unpacked by ImageMagick, which is a hundred times quicker than Python."""
    result = subprocess.run(["convert", file, "-alpha", "off", "-depth", "8", "ppm:-"], timeout=30,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode:
        raise Failed(f"{file}: {result.stderr.decode().strip()}")
    return picture.read_ppm(result.stdout)
