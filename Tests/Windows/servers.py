"""Display servers for the program. Each starts with `with` and ends with it."""

import os
import signal
import subprocess
import tempfile
from pathlib import Path

from checks import Failed, wait

# The size of an X server's screen.
SCREEN = (1600, 1000)


def plain_environment():
    """Returns the caller's environment without the variables of a desktop."""
    desktop = ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "XDG_RUNTIME_DIR", "SDL_VIDEODRIVER")
    return {name: value for name, value in os.environ.items() if name not in desktop}


class Server:
    """A server process with a folder of its own. The server is killed when this process ends in any way."""

    def __init__(self, name):
        self.name = name
        self.folder = tempfile.TemporaryDirectory(prefix="vitrine-windows-")
        self.path = Path(self.folder.name)
        self.log = self.path / f"{name}.log"
        # The environment of programs that use the server.
        self.environment = plain_environment()
        self.process = None

    def start(self, words, environment, **options):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *words], env=environment,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, **options)

    def until(self, what, condition):
        def is_ready():
            if self.process.poll() is not None:
                raise Failed(f"{self.name} has ended: {self.log.read_text(errors='replace')[-400:]}")
            return condition()

        return wait(what, is_ready, 20, lambda: self.log.read_text(errors="replace")[-400:])

    def kill(self):
        """Kills the server, as in a crash."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def __enter__(self):
        try:
            self.run()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.kill()
        self.folder.cleanup()


class Xvfb(Server):
    """An X server without a window manager, larger than the windows on it."""

    size = SCREEN

    def __init__(self):
        super().__init__("Xvfb")

    def run(self):
        # Xvfb chooses a free display number and writes the number when it listens.
        read, write = os.pipe()
        screen = f"{self.size[0]}x{self.size[1]}x24"
        self.start(["Xvfb", "-displayfd", str(write), "-screen", "0", screen, "-nolisten", "tcp", "-noreset"],
                   self.environment, pass_fds=[write])
        os.close(write)
        os.set_blocking(read, False)
        said = b""

        def number():
            nonlocal said
            try:
                said += os.read(read, 16)
            except BlockingIOError:
                pass
            return said.endswith(b"\n") and said.strip().decode()

        self.display = ":" + self.until("Xvfb listens", number)
        os.close(read)
        self.environment["DISPLAY"] = self.display

    def tool(self, *words, **options):
        """Runs an X11 program and returns its output."""
        result = subprocess.run([str(word) for word in words], env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=30, **options)
        if result.returncode:
            raise Failed(f"{' '.join(map(str, words))}: {result.stderr.decode().strip()}")
        return result.stdout


class Weston(Server):
    """A Wayland compositor. In a window of an X server, it has that server's pointer and keys, and a program fills its
    whole screen. Headless, it has no input devices, and chooses the position of the program's window."""

    def __init__(self, xvfb=None, size=(1280, 800)):
        super().__init__("weston")
        self.xvfb, self.size = xvfb, size

    def run(self):
        # The kiosk shell shows windows only if there is a seat, which the headless backend does not have.
        backend, shell = ("x11", "kiosk") if self.xvfb else ("headless", "desktop")
        environment = {**self.environment, "XDG_RUNTIME_DIR": str(self.path)}
        if self.xvfb:
            environment["DISPLAY"] = self.xvfb.display
        self.start(["weston", f"--backend={backend}-backend.so", "--use-pixman", f"--shell={shell}-shell.so",
                    f"--width={self.size[0]}", f"--height={self.size[1]}", "--socket=vitrine", "--idle-time=0",
                    "--no-config", "--debug"], environment)
        self.until("weston listens", lambda: (self.path / "vitrine").is_socket())
        self.environment |= {"XDG_RUNTIME_DIR": str(self.path), "WAYLAND_DISPLAY": "vitrine"}

    def shot(self):
        """Returns the file of a screenshot."""
        folder = self.path / "shots"
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        environment = {**self.environment, "XDG_PICTURES_DIR": str(folder)}
        result = subprocess.run(["weston-screenshooter"], env=environment, cwd=folder, timeout=30,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        files = list(folder.glob("*.png"))
        if len(files) != 1:
            raise Failed(f"weston-screenshooter: {result.stdout.decode().strip()}")
        return files[0]
