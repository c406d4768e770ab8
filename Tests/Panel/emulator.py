"""QEMU with two graphics cards and panels, a keyboard and a mouse, and two lines for the test: a shell and the monitor."""

import re
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import image


class Line:
    """A socket of the emulator that can be read up to a pattern."""

    def __init__(self, path, timeout=20):
        deadline = time.monotonic() + timeout
        self.socket = socket.socket(socket.AF_UNIX)
        while True:
            try:
                self.socket.connect(path)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        self.buffer = b""

    def send(self, text):
        self.socket.sendall(text.encode())

    def expect(self, pattern, timeout):
        """Returns the text before the pattern, and the match. Raises TimeoutError."""
        deadline = time.monotonic() + timeout
        while True:
            match = re.search(pattern, self.buffer)
            if match:
                before, self.buffer = self.buffer[:match.start()], self.buffer[match.end():]
                return before.decode(errors="replace"), match
            rest = deadline - time.monotonic()
            if rest <= 0:
                raise TimeoutError(f"no match of {pattern} within {timeout} s; last output: {self.buffer[-300:]}")
            self.socket.settimeout(rest)
            data = self.socket.recv(65536)
            if not data:
                raise TimeoutError(f"the machine has stopped; last output: {self.buffer[-300:]}")
            self.buffer += data


class Emulator:
    """A context manager: the emulator starts with `with` and is killed at its end."""

    def __init__(self, kernel, disk, log, size=(1280, 800), drive=None):
        self.folder = tempfile.TemporaryDirectory(prefix="vitrine-panel-")
        self.monitor_path = f"{self.folder.name}/monitor"
        self.shell_path = f"{self.folder.name}/shell"
        self.words = [
            # The emulator is killed when this process ends in any way.
            "setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-smp", "2", "-m", "1536",
            "-kernel", str(kernel), "-initrd", str(disk),
            "-append", "console=ttyS0 quiet panic=-1 rdinit=/init", "-no-reboot",
            "-display", "none", "-vga", "none", "-device", f"virtio-vga,xres={size[0]},yres={size[1]}",
            "-device", f"virtio-gpu-pci,id=other,xres={size[0]},yres={size[1]}",
            "-device", "virtio-mouse-pci", "-nic", "none",
            "-serial", f"file:{log}", "-serial", f"unix:{self.shell_path},server=on,wait=off",
            "-monitor", f"unix:{self.monitor_path},server=on,wait=off"]
        if drive:
            # The file keeps what the machine has written, for another boot.
            self.words += ["-drive", f"file={drive},format=raw,if=virtio"]

    def __enter__(self):
        self.started = time.monotonic()
        self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL)
        try:
            self.monitor_line = Line(self.monitor_path)
            self.monitor_line.expect(rb"\(qemu\) ", 20)
            self.shell_line = Line(self.shell_path)
            self.shell_line.expect(rb"@ready\r?\n", 120)
        except BaseException:
            self.__exit__()
            raise
        self.boot_time = time.monotonic() - self.started
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def monitor(self, command):
        self.monitor_line.send(command + "\n")
        return self.monitor_line.expect(rb"\(qemu\) ", 20)[0]

    def shell(self, command, timeout=30):
        """Runs a line in the machine. Returns its output and its exit code."""
        self.shell_line.send(command + "\n")
        output, match = self.shell_line.expect(rb"\n@end (\d+)\r?\n", timeout)
        return output.replace("\r", "").strip("\n"), int(match[1])

    def panel(self, device=""):
        """Returns the current image of a panel: the first, or that of the card `other`."""
        file = f"{self.folder.name}/panel.ppm"
        Path(file).unlink(missing_ok=True)
        self.monitor(f"screendump {file} {device}")
        return image.read_ppm(Path(file).read_bytes())

    def press(self, *keys):
        for key in keys:
            self.monitor(f"sendkey {key} 60")
            time.sleep(0.15)

    def touch(self, gesture):
        """Makes a gesture on the touch panel, such as `tap 640 400`; see device.c."""
        self.shell(f"echo {gesture} >&4")

    def gamepad(self, *buttons):
        """Connects a gamepad, gives the program time to detect it, and presses buttons."""
        self.shell("mkfifo /tmp/gamepad; device gamepad </tmp/gamepad & exec 5>/tmp/gamepad; sleep 1; "
                   f"echo {' '.join(buttons)} >&5")

    def disconnect_gamepad(self):
        """Disconnects the gamepad, and gives the program time to notice it."""
        self.shell("exec 5>&-; while grep -q X-Box /proc/bus/input/devices; do sleep 0.1; done; sleep 1")

    def type(self, text):
        self.press(*text, "ret")

    def point(self, x, y):
        """Moves the mouse to a point. The mouse reports relative motion only, so it moves to the corner first."""
        self.monitor("mouse_move -4000 -4000")
        time.sleep(0.2)
        self.monitor(f"mouse_move {x} {y}")
        time.sleep(0.2)

    def click(self, seconds=0.15):
        """Presses the mouse button for some seconds."""
        for state in (1, 0):
            self.monitor(f"mouse_button {state}")
            time.sleep(seconds)

    def hold(self):
        """Presses the mouse button for as long as a long press takes, with a margin for a slow machine."""
        self.click(1.5)
