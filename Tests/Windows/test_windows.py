"""Proves that the demo shows the same pictures in real windows, of X11 and of Wayland, as off screen.

What a script does off screen, hands do at the pointer and the keys of a display server; its pictures are compared
pixel by pixel. Called by `./run.sh test-windows`, which builds the program first.
"""

import subprocess
import sys
import time

import client
from checks import Checks, Failed, claim, end_by_signal, need_tools, wait
from hands import Hands
from program import PROJECT, Program, read, run_script
from reference import Reference
from servers import Weston, Xvfb, plain_environment

SIZE = (1280, 800)
# Levels of a channel by which OpenGL may round otherwise than the software renderer.
ROUNDING = 2
HALF_SECOND = "wait 500 ms"
DRAG = [(640, 600 - 15 * step) for step in range(21)]
DRAG_LINES = [f"press {DRAG[0][0]} {DRAG[0][1]}", *[f"move {x} {y}" for x, y in DRAG[1:]], HALF_SECOND, "release"]

# Name, what the script does off screen, and what hands do.
STEPS = [
    ("arrow down scrolls", ["key down"], lambda h: h.keys("Down")),
    ("page down scrolls a page", ["key pagedown"], lambda h: h.keys("Next")),
    ("home goes back", ["key home"], lambda h: h.keys("Home")),
    ("the wheel scrolls", ["wheel 640 400 -1"], lambda h: h.click(640, 400, button=5)),
    ("and back", ["wheel 640 400 1"], lambda h: h.click(640, 400, button=4)),
    ("dragging with the pointer scrolls", DRAG_LINES, lambda h: h.drag(DRAG, h.figures)),
    ("passing over changes nothing", ["move 300 300"], lambda h: h.move(300, 300)),
    ("a click marks a row", ["tap 640 400"], lambda h: h.click(640, 400)),
    ("a click beside it marks another", ["tap 640 600"], lambda h: h.click(640, 600)),
    ("tab and return press a button", ["key tab"] * 3 + ["key enter"], lambda h: h.keys("Tab", "Tab", "Tab", "Return")),
    ("a click on the header changes the screen", ["tap 362 32", "wait idle", 'expect "Both" state normal'],
     lambda h: h.click(362, 32)),
    ("holding a button shows its pressed picture", ["press 960 300", HALF_SECOND, 'expect "Both" state highlighted'],
     lambda h: h.press(960, 300)),
    ("leaving it while held shows the other", ["move 640 730", HALF_SECOND, 'expect "Both" state normal'],
     lambda h: h.move(640, 730)),
    ("coming back shows it pressed again", ["move 960 300", HALF_SECOND, 'expect "Both" state highlighted'],
     lambda h: h.move(960, 300)),
    ("releasing outside does nothing", ["move 640 730", "release", HALF_SECOND, 'expect "Both" state normal'],
     lambda h: (h.move(640, 730), h.release(), h.rest())),
    ("releasing inside turns it on", ["press 960 300", "release", HALF_SECOND, 'expect "Both" state selected'],
     lambda h: (h.press(960, 300), h.release(), h.rest())),
    ("a click on its picture turns it off", ["tap 1056 320", HALF_SECOND, 'expect "Both" state normal'],
     lambda h: h.click(1056, 320)),
]
# Both buttons of this card show a picture that is larger on another: which of its two sizes is decoded and which is
# made from the other depends on which is there first.
DISABLED = [(73, 548, 369, 660)]
BUTTONS = [name for name, _, _ in STEPS[next(n for n, step in enumerate(STEPS) if "header" in step[0]):]]
# Where a list shows how far it is scrolled.
INDICATOR = (1200, 0, 1280, 800)
NAMES = ["start", *(name for name, _, _ in STEPS)]
# Some dozen rows, so that a held key comes to the end of them.
SHORT = ["--feed", PROJECT / "Assets/gallery"]


def script():
    lines = ["wait idle", "shot start"]
    for name, commands, _ in STEPS:
        lines += [*commands, "wait idle", f"shot {name}"]
    return lines


def references(environment):
    """What windows should show, drawn off screen."""
    def draw(lines, names, *arguments):
        shots = run_script(environment, lines, names, "--video", "offscreen", *arguments)
        return {name: Reference(shot, DISABLED if name in BUTTONS else []) for name, shot in shots.items()}

    wanted = draw(script(), NAMES)
    wanted |= draw(["wait idle", "shot narrow"], ["narrow"], "--size", "700x500")
    wanted |= draw(["wait idle", "shot short", "key end", "wait idle", "shot end"], ["short", "end"], *SHORT)
    return wanted


def compare(shots, wanted):
    different = [name for name in shots if wanted[name].differs(shots[name])]
    claim(not different, f"different: {', '.join(different)}")
    return f"{len(shots)} pictures"


class Windows(Checks):
    """The checks, in the order in which they happen."""

    def __init__(self, wanted):
        super().__init__()
        self.wanted = wanted

    # The checks of every window

    def is_still(self, program):
        before = program.figures()
        time.sleep(0.5)
        return program.figures() == before

    def sleeps(self, program):
        wait("stillness", lambda: self.is_still(program), 10)
        before = program.figures()
        time.sleep(4)
        ticks, wakings = (b - a for a, b in zip(before, program.figures()))
        note = f"{ticks * 10} ms of CPU and {wakings} wake-ups in 4 s"
        # Fewer: a thread that had nothing to do has ended, and taken its count along.
        claim(ticks == 0 and wakings <= 0, note)
        return note

    def step(self, program, hands, name, action):
        hands.figures = program.figures
        before = program.figures()
        action(hands)
        # Nothing may come of it, but it has to have come.
        wait("the program hears of it", lambda: program.figures() != before, 10)
        hands.shows(name, self.wanted[name])

    def same_by_script(self, server, driver):
        return compare(run_script(server.environment, script(), NAMES, "--video", driver), self.wanted)

    def used(self, server, driver, make_hands):
        """One program, from its first pictures to the key that ends it."""
        def check(name, body):
            self.check(f"{driver}: {name}", body)

        check("a script gives the pictures of the same script off screen",
              lambda: self.same_by_script(server, driver))
        with Program(server.environment, "--video", driver) as program:
            check("standard error says which driver runs",
                  lambda: program.says(f"vitrine: video {driver}, renderer software"))
            try:
                hands = make_hands()
            except Failed as problem:
                return self.fail(f"{driver}: the window opens", problem)
            check("the window shows the pictures", lambda: hands.shows("start", self.wanted["start"]))
            check("stillness costs nothing", lambda: self.sleeps(program))
            for name, _, action in STEPS:
                check(name, lambda: self.step(program, hands, name, action))
            check("stillness costs nothing after input either", lambda: self.sleeps(program))
            check("Esc ends it", lambda: (hands.keys("Escape"), program.ends())[1])
        check("a held arrow goes to the end", lambda: self.repeats(server, driver, make_hands))
        check("SIGTERM ends it", lambda: self.terminated(server, driver, make_hands))
        for renderer in ["opengles2", "opengl"]:
            check(f"{renderer} shows the same and is as still",
                  lambda: self.draws_with(renderer, server, driver, make_hands))

    def fail(self, name, problem):
        def body():
            raise problem

        self.check(name, body)

    def repeats(self, server, driver, make_hands):
        with Program(server.environment, "--video", driver, *SHORT) as program:
            hands = make_hands()
            hands.shows("short", self.wanted["short"])
            hands.xdotool("keydown", "Down")
            try:
                # As long as the key is held there is an indicator.
                hands.shows("end", self.wanted["end"], ignored=[INDICATOR])
            finally:
                hands.xdotool("keyup", "Down")
            hands.shows("end", self.wanted["end"])
            self.sleeps(program)

    def terminated(self, server, driver, make_hands):
        with Program(server.environment, "--video", driver) as program:
            make_hands().shows("start", self.wanted["start"])
            program.terminate()
            program.ends()

    def draws_with(self, renderer, server, driver, make_hands):
        """Mesa draws for it: there is no graphics processor here."""
        words = ["--video", driver, "--renderer", renderer]
        with Program(server.environment, *words) as program:
            program.says(f"vitrine: video {driver}, renderer {renderer}")
            hands = make_hands()
            hands.levels = ROUNDING
            hands.shows("start", self.wanted["start"])
            self.sleeps(program)
            name, _, action = STEPS[0]
            self.step(program, hands, name, action)
            if driver == "x11":
                hands.keys("Home")
                self.resized(hands)
                self.covered(hands, server)
                self.hidden(hands)
            hands.keys("Escape")
            program.ends()

    # The checks of X11

    def resized(self, hands):
        hands.xdotool("windowsize", hands.window, 700, 500)
        hands.shows("narrow", self.wanted["narrow"])
        hands.xdotool("windowsize", hands.window, *SIZE)
        hands.shows("start", self.wanted["start"])

    def covered(self, hands, xvfb):
        # What is under a window is lost: the server keeps no copy of it.
        with client.cover(xvfb.display, hands.x + 200, hands.y + 100, 500, 400):
            claim(hands.differs(hands.picture(), self.wanted["start"]), "the other window is not seen")
        hands.shows("start", self.wanted["start"])

    def hidden(self, hands):
        hands.xdotool("windowunmap", "--sync", hands.window)
        hands.xdotool("windowmap", "--sync", hands.window)
        hands.shows("start", self.wanted["start"])

    def loses_focus(self, hands, xvfb):
        hands.focus()
        hands.press(300, 32)
        wait("the button is pressed", lambda: hands.differs(hands.picture(), self.wanted["start"]), 10)
        with client.cover(xvfb.display, 0, 0, 20, 20):
            hands.shows("start", self.wanted["start"])
            hands.release()
        hands.focus()
        hands.shows("start", self.wanted["start"])

    def gets_focus(self, hands, xvfb):
        with client.cover(xvfb.display, 0, 0, 20, 20):
            hands.move(640, 400)
        # Both at once, as when a window manager gives the focus to what is clicked.
        hands.xdotool("windowfocus", hands.window, "click", 1)
        wait("the row is marked", lambda: hands.differs(hands.picture(), self.wanted["start"]), 10)
        hands.click(640, 400)
        hands.shows("start", self.wanted["start"])

    def x11(self, xvfb):
        def make_hands():
            return Hands(xvfb, "^vitrine$")

        self.used(xvfb, "x11", make_hands)
        with Program(xvfb.environment, "--video", "x11") as program:
            hands = make_hands()
            self.check("x11: another size lays it out anew", lambda: self.resized(hands))
            self.check("x11: a covered window is whole again", lambda: self.covered(hands, xvfb))
            self.check("x11: a hidden window is whole again", lambda: self.hidden(hands))
            self.check("x11: losing the focus takes a press back", lambda: self.loses_focus(hands, xvfb))
            self.check("x11: a click that brings the focus counts", lambda: self.gets_focus(hands, xvfb))
            self.check("x11: stillness costs nothing after all that", lambda: self.sleeps(program))
            self.check("x11: closing the window ends it",
                       lambda: (client.close_window(xvfb.display, hands.window), program.ends())[1])
        self.check("x11: without a server it says so",
                   lambda: self.refused("x11", {**xvfb.environment, "DISPLAY": ":4711"}, ":4711"))
        self.check("x11: without DISPLAY it says so", lambda: self.refused(
            "x11", {name: value for name, value in xvfb.environment.items() if name != "DISPLAY"}, "DISPLAY"))

    # The checks of Wayland

    def screen_of_its_own(self, weston, make_hands):
        with Program(weston.environment, "--video", "wayland", "--size", "700x500") as program:
            make_hands().shows("start", self.wanted["start"])
            program.terminate()
            program.ends()

    def wayland(self, xvfb):
        with Weston(xvfb) as weston:
            def make_hands():
                return Hands(xvfb, "^Weston Compositor$", shows_cursor=True)

            # Before there is a program: weston may forget whom the keys go to when it gets the focus later.
            make_hands()
            self.used(weston, "wayland", make_hands)
            self.check("wayland: the compositor's size is taken", lambda: self.screen_of_its_own(weston, make_hands))
        self.check("wayland: without a compositor it says so",
                   lambda: self.refused("wayland", weston.environment, "vitrine"))
        self.check("wayland: without WAYLAND_DISPLAY it says so", lambda: self.refused(
            "wayland", {**xvfb.environment, "XDG_RUNTIME_DIR": "/nonexistent"}, "wayland-0 in /nonexistent"))

    def headless(self):
        with Weston(size=(1600, 1000)) as weston:
            self.check("headless: a script gives the pictures of the same script off screen",
                       lambda: self.same_by_script(weston, "wayland"))
            with Program(weston.environment, "--video", "wayland") as program:
                self.check("headless: standard error says which driver runs",
                           lambda: program.says("vitrine: video wayland, renderer software"))
                self.check("headless: the compositor shows the pictures", lambda: self.composed(weston))
                self.check("headless: stillness costs nothing", lambda: self.sleeps(program))
                self.check("headless: SIGTERM ends it", lambda: (program.terminate(), program.ends())[1])

    def composed(self, weston):
        wait("the window is on weston's screen", lambda: self.is_within(read(weston.shot())), 20)

    def is_within(self, screen):
        """Whether the pictures of the start are somewhere on a screen, pixel for pixel."""
        wanted = self.wanted["start"].rows
        # A row of pictures and text is in one place only.
        probe = 120
        for y, row in enumerate(screen.rows):
            x = row.find(wanted[probe])
            if x >= 0 and y >= probe:
                rows = screen.rows[y - probe:y - probe + len(wanted)]
                return [row[x:x + len(wanted[0])] for row in rows] == wanted
        return False

    # The checks of what is missing

    def refused(self, driver, environment, missing):
        with Program(environment, "--video", driver) as program:
            program.ends(1)
            claim(len(program.errors) == 1 and f" {driver} " in program.errors[0] and missing in program.errors[0],
                  f"it says {program.errors}")
            return program.errors[0]

    def outlives(self, server, driver, renderer="software"):
        with server, Program(server.environment, "--video", driver, "--renderer", renderer) as program:
            program.says(f"vitrine: video {driver}, renderer {renderer}")
            wait("stillness", lambda: self.is_still(program), 20)
            before = len(program.lines)
            server.kill()
            program.ends(1)
            lines = program.lines[before:]
            claim(lines == [f"vitrine: the {driver} display server is gone, and the window with it"], f"it says {lines}")
            return lines[0]

    def all(self):
        with Xvfb() as xvfb:
            self.x11(xvfb)
            self.wayland(xvfb)
        self.headless()
        for renderer in ["software", "opengles2", "opengl"]:
            self.check(f"x11: a server that is killed ends it with one line ({renderer})",
                       lambda: self.outlives(Xvfb(), "x11", renderer))
            self.check(f"wayland: a compositor that is killed ends it with one line ({renderer})",
                       lambda: self.outlives(Weston(), "wayland", renderer))


def main():
    end_by_signal()
    need_tools("test-windows", ["Xvfb", "xdotool", "import", "convert", "weston", "weston-screenshooter", "setpriv"])
    begin = time.monotonic()
    try:
        wanted = references(plain_environment())
        print(f"drawn off screen ({time.monotonic() - begin:.1f} s)", flush=True)
        windows = Windows(wanted)
        windows.all()
    except (Failed, OSError, subprocess.SubprocessError) as problem:
        print(f"test-windows: {problem}", file=sys.stderr)
        return 1
    return windows.end()


if __name__ == "__main__":
    sys.exit(main())
