"""Checks on an emulated machine without a display server that the demo shows its images with only the kernel.

The machine has a panel, a keyboard, a mouse, a touch panel and, later, a gamepad. The panel is compared with the images
that the same program draws off screen on this machine. Called by `./run.sh test-panel`, which builds the program first.
"""

import os
import subprocess
import sys
import time

import boots
import machine
import image
from checks import Checks, Failed, claim, end_by_signal, need_tools, wait
from emulator import Emulator

PROGRAM = machine.PROJECT / ".build/release/vitrine"
QUICK = "--latency 0 --no-disk-cache"
ARGUMENTS = f"{QUICK} --screen list"
# Without the slow movement, a slide stands still.
SLIDESHOW = f"slideshow {QUICK} --motion off"
# The status line at the bottom counts the images loaded while scrolling, which depend on the speed of the machine.
STATUS_LINE = 32
# The limits for equal images: the mean difference of a channel, and the fraction of pixels that differ.
MEAN, FRACTION = 0.005, 0.00005
# The levels of a channel by which the rounding of OpenGL may differ from the software renderer.
ROUNDING = 2
FINGER = (640, 600, 640, 300)
# The rows of the panel with the tiles of the animations.
TILES = (400, 760)
# The rows of the home screen above the caption of the slideshow.
SLIDE_BOTTOM = 500
# The rectangles of the home screen with the cost of the program, and with the time of day.
READINGS = [(0, 608, 330, 634), (1140, 566, 1280, 612)]


def drag():
    """Returns the drag as script lines: twenty moves, then a rest."""
    x1, y1, x2, y2 = FINGER
    moves = [f"move {x1 + (x2 - x1) * n // 20} {y1 + (y2 - y1) * n // 20}" for n in range(1, 21)]
    return [f"press {x1} {y1}", *moves, "wait 500 ms", "release"]


DOUBLE_TAP = ["touch 640 400"] * 2


def double_tap(m):
    m.touch("tap 640 400 tap 640 400")


# The name of a step, the script lines off screen, and the input on the emulated machine.
STEPS = [
    ("arrow down scrolls", ["key down"], lambda m: m.press("down")),
    ("page down scrolls a page", ["key pagedown"], lambda m: m.press("pgdn")),
    # Not the grid: the list may scale the grid's larger images, and which ones depends on the speed of the machine.
    ("tab and return press a button", ["key tab"] * 5 + ["key enter"], lambda m: m.press(*["tab"] * 5, "ret")),
    ("a click on the header changes the screen", ["tap 227 32"], lambda m: (m.point(227, 32), m.click())),
    ("a long press on a row selects the row", ["hold 640 400"], lambda m: (m.point(640, 400), m.hold())),
    ("the wheel scrolls", ["wheel 640 400 -1"], lambda m: m.monitor("mouse_move 0 0 -1")),
    ("a finger drags the list", drag(), lambda m: m.touch("drag {} {} {} {}".format(*FINGER))),
    ("a tap on a row opens its image", ["touch 300 400"], lambda m: m.touch("tap 300 400")),
    ("a double tap enlarges the image", DOUBLE_TAP, double_tap),
    ("two fingers show the whole image again", ["pinch 640 400 900 100 400"],
     lambda m: m.touch("pinch 640 400 900 100")),
    ("Esc closes the image", ["key escape"], lambda m: m.press("esc")),
    ("a tap on a button changes the screen", ["tap 346 32"], lambda m: m.touch("tap 346 32")),
    ("a connected gamepad presses a button", ["key tab", "key down", "key enter"], lambda m: m.gamepad("tab", "down", "a")),
]
# The steps on the home screen, which is paused first: its slideshow changes after seven seconds.
HOME_STEPS = [
    ("home: Space pauses the slideshow", ["key space"], lambda m: m.press("spc")),
    ("home: a tap on a tile opens its image", ["touch 420 700"], lambda m: m.touch("tap 420 700")),
    ("home: a double tap enlarges the image", DOUBLE_TAP, double_tap),
    ("home: Esc closes the enlarged image", ["key escape"], lambda m: m.press("esc")),
    ("home: return opens the image of the slideshow", ["key enter"], lambda m: m.press("ret")),
    ("home: arrow right shows the next image", ["key right"], lambda m: m.press("right")),
    ("home: Esc closes this image", ["key escape"], lambda m: m.press("esc")),
]
SLIDE_STEPS = [("slideshow: arrow right shows the next image", ["key right", 'wait for "Bamboo grove"'],
                lambda m: m.press("right"))]


class Panel(Checks):
    """The checks of one machine, in order."""

    def __init__(self, emulator, references):
        super().__init__()
        self.machine, self.references = emulator, references

    # Queries

    def shell(self, command, timeout=30):
        return self.machine.shell(command, timeout)[0]

    def wait(self, what, condition, timeout=60):
        wait(what, condition, timeout, lambda: self.shell("cat /tmp/errors"))

    def keyboard(self):
        return self.shell("device keyboard /dev/tty1")

    def cursor_is_shown(self):
        # The second plane of the card is for the cursor. Its buffer is 0 if there is no cursor.
        plane = self.shell("grep -A 2 'plane-1$' /sys/kernel/debug/dri/0/state")
        return "fb=0" not in plane

    # Actions

    def start(self, command=f"vitrine --video kmsdrm {ARGUMENTS}", until="start", levels=0):
        """Runs a command as from a login on the first console, and waits until the panel shows the reference `until`."""
        self.machine.shell(f"rm -f /tmp/errors /tmp/code /tmp/typed; openvt -c 1 -f -- console {command}")
        if until:
            return self.shows(until, levels=levels)

    def shows(self, name, timeout=60, device="", levels=0, ignored=()):
        """Waits until a panel shows a reference, except in the `ignored` rectangles. Returns the remaining difference;
        pixels that differ by at most `levels` count as equal."""
        wanted = self.references[name].covered(ignored)
        deadline = time.monotonic() + timeout
        while True:
            shown = self.machine.panel(device)
            found = image.difference(shown.cut(0, wanted.height).covered(ignored), wanted, 0.001, levels)
            if found.mean <= MEAN and found.fraction <= FRACTION:
                return found
            if time.monotonic() > deadline:
                file = machine.CACHE / "failed.png"
                image.write_png(shown, file)
                raise Failed(f"the panel does not show “{name}”, see {file} ({found})")
            time.sleep(0.2)

    def ends(self, code=0, timeout=20):
        """Waits until the program has ended, and checks that the console receives keys."""
        self.wait("the program ends", lambda: self.machine.shell("test -e /tmp/code")[1] == 0, timeout)
        found = self.shell("cat /tmp/code")
        claim(self.keyboard() == "unicode", f"the console's keyboard is {self.keyboard()}")
        # Keys that were typed for the program must not have reached the console.
        self.machine.type("ok")
        self.wait("the typed line arrives", lambda: self.machine.shell("test -s /tmp/typed")[1] == 0, 10)
        typed = self.shell("cat /tmp/typed")
        # The kernel hangs up the console for all processes when a session ends.
        self.wait("the session ends", lambda: self.machine.shell("pidof console")[1] != 0, 5)
        claim(found == str(code), f"exit code {found}, not {code}; {self.shell('cat /tmp/errors')}")
        claim(typed == "ok", f"the console got “{typed}”, not “ok”")

    # The checks

    def no_display_server_runs(self):
        found = self.shell("env | grep -i display; cut -c 53- /proc/net/unix | grep -i 'x11\\|wayland'; "
                           "ls -d /tmp/.X11-unix /run/user 2>/dev/null")
        claim(found == "", found)

    def first_images(self):
        begin = time.monotonic()
        found = self.start()
        image.write_png(self.machine.panel(), machine.CACHE / "panel.png")
        return f"after {time.monotonic() - begin:.1f} s; {found}"

    def reports_driver(self):
        found = self.shell("cat /tmp/errors")
        claim(found == "vitrine: video kmsdrm, renderer software", found)

    def figures(self):
        """Returns the processor ticks and the number of context switches since the start."""
        figures = ("cat /proc/$(pidof vitrine)/stat | cut -d ' ' -f 14,15; "
                   "cat /proc/$(pidof vitrine)/task/*/status | grep ctxt | awk '{ n += $2 } END { print n }'")
        return [int(figure) for figure in self.shell(figures).split()]

    def is_still(self):
        before = self.figures()
        self.machine.shell("sleep 1")
        return self.figures() == before

    def sleeps(self):
        self.wait("an idle program", self.is_still)
        before = self.figures()
        self.machine.shell("sleep 5")
        ticks_user, ticks_system, switches = [b - a for a, b in zip(before, self.figures())]
        note = f"{(ticks_user + ticks_system) * 10} ms of CPU and {switches} wake-ups in 5 s"
        # The difference is negative if an idle thread has ended, because its count is gone.
        claim(ticks_user + ticks_system == 0 and switches <= 0, note)
        return note

    def hides_cursor(self):
        claim(not self.cursor_is_shown(), "the cursor is visible before the mouse has moved")

    def step(self, name, hands, ignored=(), becomes_idle=True):
        hands(self.machine)
        found = self.shows(name, 30, ignored=ignored)
        # As off screen, each step waits until the prefetched images have been decoded.
        if becomes_idle:
            self.wait("an idle program", self.is_still)
        return found

    def home_step(self, name, hands):
        # The home screen reads the cost of the program each second, unless an opened image covers it.
        is_covered = not name.startswith(("home: Esc", "home: Space"))
        return self.step(name, hands, READINGS, becomes_idle=is_covered)

    def shows_cursor(self, wanted):
        self.wait(f"cursor shown: {wanted}", lambda: self.cursor_is_shown() == wanted, 5)

    def ends_by(self, action):
        action()
        self.ends()

    def moves(self):
        """True if the tiles of the animations change within half a second."""
        before = self.machine.panel().cut(*TILES)
        self.machine.shell("sleep 0.5")
        return image.difference(self.machine.panel().cut(*TILES), before).mean > MEAN

    def plays_animations(self):
        """Animations play while they are shown, and use no processor time behind another screen."""
        self.start(f"vitrine --video kmsdrm {ARGUMENTS} --screen animations", until=None)
        # The first changes may be those of images that appear.
        self.wait("moving images", lambda: all(self.moves() for _ in range(6)))
        image.write_png(self.machine.panel(), machine.CACHE / "animations.png")
        self.machine.point(346, 32)
        self.machine.click()
        # The timer for a camera that sends nothing runs out once, although the camera is closed, and its thread ends.
        self.machine.shell("sleep 25")
        try:
            return self.sleeps()
        finally:
            self.machine.press("esc")
            self.ends()

    def changes_slides(self):
        """The next image follows without input."""
        self.start(f"vitrine {SLIDESHOW} --video kmsdrm --seconds 5", until="slide")
        return self.shows(SLIDE_STEPS[0][0])

    def holds_slide(self):
        """The next image is prepared, and then nothing happens until the image is to change."""
        self.start(f"vitrine {SLIDESHOW} --video kmsdrm --seconds 3600", until="slide")
        return self.sleeps()

    def killed(self):
        self.start()
        # Without a keyboard grab, the console would read this input: only a regular end discards it.
        self.machine.press("a", "ret")
        self.machine.shell("kill -9 $(pidof vitrine)")
        self.ends(137)

    def has_no_permission(self):
        self.start(f"su kiosk -c 'vitrine --video kmsdrm {ARGUMENTS}'", until=None)
        self.ends(1)
        found = self.shell("cat /tmp/errors")
        claim(found.startswith("vitrine: /dev/dri/card0 may not be opened: add the user to the group")
              and "\n" not in found, found)

    def has_no_input(self):
        self.machine.shell("chmod 666 /dev/dri/*")
        self.start(f"su kiosk -c 'vitrine --video kmsdrm {ARGUMENTS}'")
        self.machine.press("ctrl-c")
        self.ends()
        claim("no device in /dev/input may be read" in self.shell("cat /tmp/errors"), self.shell("cat /tmp/errors"))

    def draws_with(self, renderer):
        """Mesa draws in software, because the card has no 3D."""
        found = self.start(f"vitrine --video kmsdrm --renderer {renderer} {ARGUMENTS}", levels=ROUNDING)
        says = self.shell("cat /tmp/errors")
        claim(says == f"vitrine: video kmsdrm, renderer {renderer}", says)
        self.sleeps()
        name, _, hands = STEPS[0]
        hands(self.machine)
        self.shows(name, levels=ROUNDING)
        self.machine.press("esc")
        self.ends()
        return found

    def connect(self, *cards):
        """Makes the kernel report a connected screen for these cards only."""
        for card in (0, 1):
            state = "on" if card in cards else "off"
            self.machine.shell(f"echo {state} >/sys/class/drm/card{card}-Virtual-{card + 1}/status")

    def finds_card(self):
        self.connect(1)
        self.start(until=None)
        found = self.shows("start", device="other")
        self.machine.press("esc")
        self.ends()
        return found

    def has_no_screen(self):
        self.connect()
        self.start(f"vitrine {ARGUMENTS}", until=None)
        self.ends(1)
        found = self.shell("cat /tmp/errors")
        claim(found.startswith("vitrine: no screen: ") and "\n" not in found, found)

    def all(self):
        # By default, SDL uses the last card, which has no screen.
        self.connect(0)
        self.check("no display server is running", self.no_display_server_runs)
        self.check("the panel shows the images", self.first_images)
        self.check("standard error names the driver and the renderer", self.reports_driver)
        self.check("no cursor before the mouse moves", self.hides_cursor)
        self.check("an idle program uses no processor time", self.sleeps)
        for name, _, hands in STEPS:
            self.check(name, lambda: self.step(name, hands))
            if name == "a long press on a row selects the row":
                self.check("the mouse has a cursor", lambda: self.shows_cursor(True))
            if name.startswith("a connected gamepad"):
                self.check("an idle gamepad uses no processor time", self.sleeps)
                self.check("a disconnected gamepad uses no processor time",
                           lambda: (self.machine.disconnect_gamepad(), self.sleeps())[1])
            if name == "a finger drags the list":
                self.check("a finger has no cursor", lambda: self.shows_cursor(False))
        self.check("an idle program uses no processor time after input", self.sleeps)
        self.check("Esc ends the program, and the console receives keys",
                   lambda: self.ends_by(lambda: self.machine.press("esc")))
        for name, end in [("Ctrl-C", lambda: self.machine.press("ctrl-c")),
                          ("SIGTERM", lambda: self.machine.shell("kill $(pidof vitrine)"))]:
            self.check(f"{name} ends the program, and the console receives keys",
                       lambda: (self.start(), self.ends_by(end))[1])
        self.check("home: the first screen shows the first image",
                   lambda: self.start(f"vitrine --video kmsdrm {QUICK}", until="home"))
        for name, _, hands in HOME_STEPS:
            self.check(name, lambda: self.home_step(name, hands))
        self.check("home: Esc ends the program, and the console receives keys",
                   lambda: self.ends_by(lambda: self.machine.press("esc")))
        self.check("slideshow: the first image is shown, and then the next", self.changes_slides)
        self.check("slideshow: SIGTERM ends the program, and the console receives keys",
                   lambda: self.ends_by(lambda: self.machine.shell("kill $(pidof vitrine)")))
        self.check("slideshow: an image that stands still uses no processor time", self.holds_slide)
        for name, _, hands in SLIDE_STEPS:
            self.check(name, lambda: self.step(name, hands))
        self.check("slideshow: Ctrl-C ends the program, and the console receives keys",
                   lambda: self.ends_by(lambda: self.machine.press("ctrl-c")))
        self.check("animations play, and use no processor time behind another screen", self.plays_animations)
        self.check("the console receives keys after SIGKILL, and none before", self.killed)
        for renderer in ["opengles2", "opengl"]:
            self.check(f"{renderer} shows equal images and sleeps when idle", lambda: self.draws_with(renderer))
        self.check("missing permission is reported", self.has_no_permission)
        self.check("the console receives keys if no input device may be read", self.has_no_input)
        self.check("the card with the screen is used", self.finds_card)
        self.check("a missing screen is reported", self.has_no_screen)


def drawn(start, steps, arguments):
    """Returns references, drawn off screen: an image for the start and for each step."""
    folder = machine.CACHE / "references"
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["wait idle", f"screenshot {folder}/0.png"]
    for number, (_, script, _) in enumerate(steps, 1):
        lines += [*script, "wait idle", f"screenshot {folder}/{number}.png"]
    (folder / "steps.vitrine").write_text("\n".join(lines) + "\n")
    words = [PROGRAM, *arguments.split(), "--video", "offscreen", "--size", "1280x800"]
    assets = {"VITRINE_ASSETS": str(machine.PROJECT / "Assets")}
    subprocess.run([*words, "--script", folder / "steps.vitrine"], check=True, timeout=120, text=True,
                   stderr=subprocess.PIPE, env={**os.environ, **assets})
    names = [start, *(name for name, _, _ in steps)]
    shots = [image.read_png((folder / f"{number}.png").read_bytes()) for number in range(len(names))]
    return {name: shot.cut(0, shot.height - STATUS_LINE) for name, shot in zip(names, shots)}


def references():
    """Returns the references of all checks."""
    wanted = drawn("start", STEPS, ARGUMENTS) | drawn("home", HOME_STEPS, QUICK)
    # The tiles may come after the first image.
    wanted["home"] = wanted["home"].cut(0, SLIDE_BOTTOM)
    return wanted | drawn("slide", SLIDE_STEPS, f"{SLIDESHOW} --seconds 3600")


def main():
    end_by_signal()
    need_tools("test-panel", ["qemu-system-x86_64", "busybox", "cpio", "dpkg", "apt-cache", "apt-get"])
    begin = time.monotonic()
    machine.CACHE.mkdir(parents=True, exist_ok=True)
    try:
        kernel, disk, wanted = machine.kernel_image(), machine.disk(PROGRAM), references()
    except subprocess.SubprocessError as problem:
        said = (problem.stderr or "").strip().splitlines()
        print(f"test-panel: command failed: {' '.join(map(str, problem.cmd))}: {' '.join(said[-1:])}", file=sys.stderr)
        return 1
    print(f"the disk of the machine is ready ({time.monotonic() - begin:.1f} s)", flush=True)
    try:
        with Emulator(kernel, disk, machine.CACHE / "kernel.log") as emulator:
            print(f"the machine has booted ({emulator.boot_time:.1f} s)", flush=True)
            emulator.shell("mkfifo /tmp/touch; device touch </tmp/touch & exec 4>/tmp/touch; sleep 1")
            panel = Panel(emulator, wanted)
            panel.all()
        restart = boots.Boots(kernel, disk, PROGRAM, Panel)
        restart.all()
    except OSError as problem:
        print(f"test-panel: the machine does not boot, see {machine.CACHE}/kernel.log: {problem}", file=sys.stderr)
        return 1
    panel.passed, panel.failed = panel.passed + restart.passed, panel.failed + restart.failed
    return panel.end()


if __name__ == "__main__":
    sys.exit(main())
