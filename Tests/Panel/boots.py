"""Checks on two boots of an emulated machine with one disk: the first loads images over HTTP, and the second has no
server but shows them, all in its first frame. Called by test_panel.py."""

import json
import os
import re
import shutil
import subprocess

import image
import machine
from checks import Checks, claim
from emulator import Emulator

# As many images as the grid shows on the panel.
COUNT = 24
ADDRESS = "127.0.0.1:8080"
SHOWN = "--screen grid --chrome off"
SOURCE = f"--video kmsdrm --cache /cache/images --feed http://{ADDRESS}/list.txt --screen grid"
ARGUMENTS = f"{SOURCE} --chrome off"
# A slow machine may need longer than the default of 50 ms.
FIRST_FRAME = "--first-frame-wait 10000"
DISK = machine.CACHE / "cache.ext4"
DISK_SIZE = "256M"

# The first boot stays for a while after the last image, because the disk is written at low priority.
FILL = ["wait idle 120", "wait 10000 ms", "quit"]
# The script begins in the turn of the first frame, so that the first screenshot is that frame. A manual clock would
# draw a frame before the list has arrived.
LOOK = ["screenshot /tmp/first.png", "clock manual", "wait idle 120", "screenshot /tmp/last.png", "quit"]


def make_disk():
    """Makes an empty file system for the cache."""
    DISK.unlink(missing_ok=True)
    program = shutil.which("mke2fs", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    claim(program, "mke2fs is missing: apt-get install e2fsprogs")
    machine.run(program, "-q", "-F", "-t", "ext4", DISK, DISK_SIZE)


def reference(program):
    """Returns the screen as the same program draws it off screen from the same files."""
    folder = machine.CACHE / "boots"
    folder.mkdir(parents=True, exist_ok=True)
    gallery = machine.PROJECT / "Assets/gallery"
    names = sorted(gallery.glob("*.jpg"))[:COUNT]
    (folder / "list.txt").write_text("".join(f"{name}\n" for name in names))
    words = [program, "--video", "offscreen", "--size", "1280x800", "--no-disk-cache", *SHOWN.split(),
             "--feed", folder / "list.txt", "--screenshot", folder / "grid.png"]
    assets = {"VITRINE_ASSETS": str(machine.PROJECT / "Assets")}
    subprocess.run(words, check=True, timeout=120, stderr=subprocess.PIPE, text=True, env={**os.environ, **assets})
    return image.read_png((folder / "grid.png").read_bytes())


class Boots(Checks):
    """The checks of both boots. `make_panel` makes the checks of one machine from an emulator and the references."""

    def __init__(self, kernel, archive, program, make_panel):
        super().__init__()
        self.kernel, self.archive, self.program, self.make_panel = kernel, archive, program, make_panel

    def boot(self, body):
        """Boots the machine with the disk, and calls `body` with the checks of its panel."""
        with Emulator(self.kernel, self.archive, machine.CACHE / "kernel.log", drive=DISK) as emulator:
            panel = self.make_panel(emulator, {"grid": self.wanted})
            found, code = emulator.shell("mkdir -p /cache && mount -t ext4 /dev/vda /cache && mkdir -p /cache/images")
            claim(code == 0, f"the disk cannot be mounted: {found}")
            return body(panel)

    def play(self, panel, lines, options=""):
        """Runs the program with a script to its end. Returns the statistics."""
        words = " ".join(f"'{line}'" for line in lines)
        panel.shell(f"printf '%s\\n' {words} >/tmp/script; rm -f /tmp/stats.json")
        panel.start(f"vitrine {ARGUMENTS} {options} --script /tmp/script --stats /tmp/stats.json", until=None)
        panel.ends(timeout=240)
        found = panel.shell("cat /tmp/stats.json")
        claim(found.startswith("{"), f"no statistics: {found}")
        return json.loads(found)

    def fill(self, panel):
        applets = panel.shell("busybox --list").split()
        claim("httpd" in applets, "busybox has no httpd")
        panel.shell("mkdir -p /tmp/site && cd /tmp/site && ln -sf /usr/share/vitrine/gallery images && "
                    f"ls images/*.jpg | head -n {COUNT} >list.txt; httpd -p {ADDRESS} -h /tmp/site; cd")
        images = self.play(panel, FILL)["images"]
        claim(images["network"] == COUNT and images["failed"] == 0, f"{images}")
        found, code = panel.machine.shell("umount /cache")
        claim(code == 0, f"the disk cannot be unmounted: {found}")

    def look(self, panel):
        claim(panel.machine.shell(f"wget -q -O /dev/null http://{ADDRESS}/list.txt")[1] != 0, "a server is running")
        stats = self.play(panel, LOOK, FIRST_FRAME)
        images = stats["images"]
        claim(images["disk"] == COUNT and images["failed"] == 0, f"{images}")
        claim(stats["network"]["bytes"] == 0, f"{stats['network']}")
        claim(stats["frames"]["images_in_first_frame"] == COUNT, f"{stats['frames']}")
        claim(panel.machine.shell("cmp /tmp/first.png /tmp/last.png")[1] == 0,
              "the first frame differs from the last")
        found = panel.start(f"vitrine {ARGUMENTS}", until="grid")
        panel.machine.press("esc")
        panel.ends()
        return f"{images['disk']} images, {images['stale']} of them stale; {self.status(panel)}; {found}"

    def status(self, panel):
        """Returns the status line, which says that the images are stored, and how old they are."""
        panel.start(f"sh -c 'vitrine {SOURCE} --dump-tree >/tmp/tree'", until=None)
        panel.ends(timeout=240)
        found = panel.shell("grep 'from disk' /tmp/tree")
        age = r"stored,? (images, )?up to [0-9]+ \w+ (ago|old)"
        claim(re.search(age, found), f"no age of stored images: {found}")
        return re.search(age, found)[0]

    def prepare(self):
        make_disk()
        self.wanted = reference(self.program)

    def all(self):
        self.check("the disk for two boots is made", self.prepare)
        if self.failed:
            return
        self.check("the first boot loads images and stores them on the disk", lambda: self.boot(self.fill))
        if not self.failed:
            self.check("the second boot has no server, and its first frame has all images",
                       lambda: self.boot(self.look))
