"""The display servers that the program is shown on. Each runs from `with` to its end, and never longer."""

import os
import signal
import subprocess
import tempfile
from pathlib import Path

from checks import Failed, wait


def plain_environment():
    """The caller's without a desktop of theirs."""
    desktop = ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "XDG_RUNTIME_DIR", "SDL_VIDEODRIVER")
    return {name: value for name, value in os.environ.items() if name not in desktop}


class Server:
    """A process in a folder of its own that ends with whoever started it, in whatever way."""

    def __init__(self, name):
        self.name = name
        self.folder = tempfile.TemporaryDirectory(prefix="vitrine-windows-")
        self.path = Path(self.folder.name)
        self.log = self.path / f"{name}.log"
        # What a program needs to be shown there.
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
        """As a server that crashes."""
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

    def __init__(self, size=(1600, 1000)):
        super().__init__("Xvfb")
        self.size = size

    def run(self):
        # It looks for a free number itself and says it when it listens.
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
        """What a program for X11 prints."""
        result = subprocess.run([str(word) for word in words], env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=30, **options)
        if result.returncode:
            raise Failed(f"{' '.join(map(str, words))}: {result.stderr.decode().strip()}")
        return result.stdout


class Weston(Server):
    """A Wayland compositor. In a window of an X server its pointer and keys are that server's, and it gives a program
    its whole screen; headless it has neither, and shows the program's window somewhere."""

    def __init__(self, xvfb=None, size=(1280, 800)):
        super().__init__("weston")
        self.xvfb, self.size = xvfb, size

    def run(self):
        # The shell of kiosks shows a window to somebody who sits there, or not at all.
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
        """The file of a picture of its screen."""
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
