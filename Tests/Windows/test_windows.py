"""Checks that the demo shows the same images in windows of X11 and Wayland as off screen.

A script runs off screen, and the same input is made with the pointer and the keys of a display server. The images are
compared pixel by pixel. Called by `./run.sh test-windows`, which builds the program first.
"""

import ctypes
import subprocess
import sys
import time

import client
from checks import Checks, Failed, claim, end_by_signal, need_tools, wait
from hands import Hands
from program import PROJECT, Program, read, run_script
from reference import Reference
from servers import SCREEN, Weston, Xvfb, plain_environment

SIZE = (1280, 800)
# The levels of a channel by which the rounding of OpenGL may differ from the software renderer.
ROUNDING = 2
HALF_SECOND = "wait 500 ms"
DRAG = [(640, 600 - 15 * step) for step in range(21)]
DRAG_LINES = [f"press {DRAG[0][0]} {DRAG[0][1]}", *[f"move {x} {y}" for x, y in DRAG[1:]], HALF_SECOND, "release"]

# The name of a step, the script lines off screen, and the input in the window.
STEPS = [
    ("arrow down scrolls", ["key down"], lambda h: h.keys("Down")),
    ("page down scrolls a page", ["key pagedown"], lambda h: h.keys("Next")),
    ("home scrolls to the start", ["key home"], lambda h: h.keys("Home")),
    ("the wheel scrolls", ["wheel 640 400 -1"], lambda h: h.click(640, 400, button=5)),
    ("the wheel scrolls back", ["wheel 640 400 1"], lambda h: h.click(640, 400, button=4)),
    ("dragging with the pointer scrolls", DRAG_LINES, lambda h: h.drag(DRAG, h.figures)),
    ("moving the pointer changes nothing", ["move 300 300"], lambda h: h.move(300, 300)),
    ("a click on a row opens its image", ["tap 300 400"], lambda h: h.click(300, 400)),
    ("a double click enlarges the image", ["tap 640 400"] * 2, lambda h: h.double_click(640, 400)),
    ("the wheel enlarges the image further", ["wheel 640 400 1"], lambda h: h.click(640, 400, button=4)),
    ("Esc closes the image", ["key escape"], lambda h: h.keys("Escape")),
    ("a click on a row of the second column opens its image", ["tap 900 600"], lambda h: h.click(900, 600)),
    ("Esc closes this image", ["key escape"], lambda h: h.keys("Escape")),
    ("tab and return press a button", ["key tab"] * 4 + ["key enter"], lambda h: h.keys(*["Tab"] * 4, "Return")),
    ("a click on the header changes the screen", ["tap 346 32", "wait idle", 'expect "Both" state normal'],
     lambda h: h.click(346, 32)),
    ("a pressed button shows its pressed image", ["press 960 300", HALF_SECOND, 'expect "Both" state highlighted'],
     lambda h: h.press(960, 300)),
    ("moving off the pressed button shows its normal image", ["move 640 730", HALF_SECOND, 'expect "Both" state normal'],
     lambda h: h.move(640, 730)),
    ("moving back shows the pressed image again", ["move 960 300", HALF_SECOND, 'expect "Both" state highlighted'],
     lambda h: h.move(960, 300)),
    ("releasing outside of the button does nothing", ["move 640 730", "release", HALF_SECOND, 'expect "Both" state normal'],
     lambda h: (h.move(640, 730), h.release(), h.rest())),
    ("releasing inside selects the button", ["press 960 300", "release", HALF_SECOND, 'expect "Both" state selected'],
     lambda h: (h.press(960, 300), h.release(), h.rest())),
    ("a click on the selected button deselects the button", ["tap 1056 320", HALF_SECOND, 'expect "Both" state normal'],
     lambda h: h.click(1056, 320)),
]
# The steps of programs that begin with other screens. The home screen is paused first: its slideshow changes after seven
# seconds.
SCREENS = {
    "home": [
        ("home: Space pauses the slideshow", ["key space"], lambda h: h.keys("space")),
        ("home: a click on a tile opens its image", ["tap 420 700"], lambda h: h.click(420, 700)),
        ("home: a double click enlarges the image", ["tap 640 400"] * 2, lambda h: h.double_click(640, 400)),
        ("home: Esc closes the enlarged image", ["key escape"], lambda h: h.keys("Escape")),
        ("home: return opens the image of the slideshow", ["key enter"], lambda h: h.keys("Return")),
        ("home: arrow right shows the next image", ["key right"], lambda h: h.keys("Right")),
        ("home: Esc closes this image", ["key escape"], lambda h: h.keys("Escape")),
        ("home: a click on the slideshow opens its image", ["tap 640 300"], lambda h: h.click(640, 300)),
        ("home: a click on the button closes the image", ["tap 60 36"], lambda h: h.click(60, 36)),
    ],
    "grid": [
        ("grid: a click on a tile opens its image", ["tap 640 400"], lambda h: h.click(640, 400)),
        ("grid: plus enlarges the image", ["key +"], lambda h: h.keys("plus")),
        ("grid: Esc closes the image", ["key escape"], lambda h: h.keys("Escape")),
    ],
}
# The rectangles of the home screen with the cost of the program, and with the time of day.
READINGS = [(0, 608, 330, 634), (1140, 566, 1280, 612)]
# Both buttons of this card show an image that another card shows larger. The order in which both sizes arrive decides
# which size is decoded and which is scaled from the other.
DISABLED = [(73, 548, 369, 660)]
BUTTONS = [name for name, _, _ in STEPS[next(n for n, step in enumerate(STEPS) if "header" in step[0]):]]
# The area of the scroll indicator.
INDICATOR = (1200, 0, 1280, 800)
NAMES = ["start", *(name for name, _, _ in STEPS)]
# A feed of some dozen rows, so that a held key reaches the end.
SHORT = ["--feed", PROJECT / "Assets/gallery"]
# A slide that stands still over the whole screen.
SLIDESHOW = ["slideshow", PROJECT / "Assets/gallery", "--transition", "none", "--motion", "off", "--seconds", "3600"]


def sdl_version():
    """The version of the SDL that the program loads, as major and minor number."""
    version = (ctypes.c_uint8 * 3)()
    ctypes.CDLL("libSDL2-2.0.so.0").SDL_GetVersion(version)
    return version[0], version[1]


def script(start="start", steps=STEPS):
    lines = ["wait idle", f"shot {start}"]
    for name, commands, _ in steps:
        lines += [*commands, "wait idle", f"shot {name}"]
    return lines


def references(environment):
    """Returns the references of the windows, drawn off screen."""
    def draw(lines, names, *arguments, ignored=()):
        shots = run_script(environment, lines, names, *arguments, "--video", "offscreen")
        return {name: Reference(shot, DISABLED if name in BUTTONS else ignored) for name, shot in shots.items()}

    def slides(slide, next_slide, size):
        lines = ["wait idle", f"shot {slide}", "key right", 'wait for "02 bamboo grove"', "wait idle",
                 f"shot {next_slide}"]
        return draw(lines, [slide, next_slide], *SLIDESHOW, "--size", "x".join(map(str, size)))

    wanted = draw(script(), NAMES)
    wanted |= draw(["wait idle", "tap 300 400", "wait idle", "shot opened"], ["opened"])
    wanted |= draw(["wait idle", "shot narrow"], ["narrow"], "--size", "700x500")
    wanted |= draw(["wait idle", "shot short", "key end", "wait idle", "shot end"], ["short", "end"], *SHORT)
    for screen, steps in SCREENS.items():
        names = [screen, *(name for name, _, _ in steps)]
        wanted |= draw(script(screen, steps), names, "--screen", screen, ignored=READINGS if screen == "home" else ())
    wanted |= slides("slide", "next slide", SCREEN)
    return wanted | slides("slide of the compositor", "next slide of the compositor", SIZE)


def compare(shots, wanted):
    different = [name for name in shots if wanted[name].differs(shots[name])]
    claim(not different, f"different: {', '.join(different)}")
    return f"{len(shots)} images"


class Windows(Checks):
    """The checks, in order."""

    def __init__(self, wanted):
        super().__init__()
        self.wanted = wanted

    # The checks of every window

    def is_still(self, program):
        before = program.figures()
        time.sleep(0.5)
        return program.figures() == before

    def sleeps(self, program):
        wait("an idle program", lambda: self.is_still(program), 10)
        before = program.figures()
        time.sleep(4)
        ticks, wakings = (b - a for a, b in zip(before, program.figures()))
        note = f"{ticks * 10} ms of CPU and {wakings} wake-ups in 4 s"
        # The difference is negative if an idle thread has ended, because its count is gone.
        claim(ticks == 0 and wakings <= 0, note)
        return note

    def step(self, program, hands, name, action):
        hands.figures = program.figures
        before = program.figures()
        action(hands)
        # The input may change nothing, but the program must have received it.
        wait("the program receives the input", lambda: program.figures() != before, 10)
        hands.shows(name, self.wanted[name])

    def same_by_script(self, server, driver):
        return compare(run_script(server.environment, script(), NAMES, "--video", driver), self.wanted)

    def used(self, server, driver, make_hands):
        """Checks one program, from its first images to the key that ends it."""
        def check(name, body):
            self.check(f"{driver}: {name}", body)

        check("a script draws the same images as off screen",
              lambda: self.same_by_script(server, driver))
        with Program(server.environment, "--video", driver) as program:
            check("standard error names the driver and the renderer",
                  lambda: program.says(f"vitrine: video {driver}, renderer software"))
            try:
                hands = make_hands()
            except Failed as problem:
                return self.fail(f"{driver}: the window opens", problem)
            check("the window shows the images", lambda: hands.shows("start", self.wanted["start"]))
            check("an idle program uses no processor time", lambda: self.sleeps(program))
            for name, _, action in STEPS:
                check(name, lambda: self.step(program, hands, name, action))
            check("an idle program uses no processor time after input", lambda: self.sleeps(program))
            check("Esc ends the program", lambda: (hands.keys("Escape"), program.ends())[1])
        for screen, steps in SCREENS.items():
            self.opened(screen, steps, server, driver, make_hands)
        check("a held arrow key scrolls to the end, and the program sleeps at the beginning", lambda: self.repeats(server, driver, make_hands))
        check("SIGTERM ends the program", lambda: self.terminated(server, driver, make_hands))
        for renderer in ["opengles2", "opengl"]:
            check(f"{renderer} shows equal images and sleeps when idle",
                  lambda: self.draws_with(renderer, server, driver, make_hands))

    def opened(self, screen, steps, server, driver, make_hands):
        """Checks a program that begins with a screen, and opens images from there."""
        with Program(server.environment, "--video", driver, "--screen", screen) as program:
            try:
                hands = make_hands()
            except Failed as problem:
                return self.fail(f"{driver}: {screen}: the window opens", problem)
            self.check(f"{driver}: {screen}: the window shows the images",
                       lambda: hands.shows(screen, self.wanted[screen]))
            for name, _, action in steps:
                self.check(f"{driver}: {name}", lambda: self.step(program, hands, name, action))
            self.check(f"{driver}: {screen}: Esc ends the program", lambda: (hands.keys("Escape"), program.ends())[1])

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
                # The scroll indicator is visible while the key is held.
                hands.shows("end", self.wanted["end"], ignored=[INDICATOR])
            finally:
                hands.xdotool("keyup", "Down")
            # The last image moves.
            hands.shows("end", self.wanted["end"])
            hands.keys("Home")
            hands.shows("short", self.wanted["short"])
            self.sleeps(program)

    def terminated(self, server, driver, make_hands):
        with Program(server.environment, "--video", driver) as program:
            make_hands().shows("start", self.wanted["start"])
            program.terminate()
            program.ends()

    def draws_with(self, renderer, server, driver, make_hands):
        """Mesa draws in software, because there is no graphics processor."""
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
                hands.shows("start", self.wanted["start"])
                self.resized(hands)
                self.covered(hands, server)
                self.hidden(hands)
            hands.keys("Escape")
            program.ends()

    def changes_slides(self, program, hands, slide, next_slide):
        """Checks a slideshow, up to the key that ends it."""
        hands.shows(slide, self.wanted[slide])
        note = self.sleeps(program)
        self.step(program, hands, next_slide, lambda h: h.keys("Right"))
        hands.keys("Escape")
        program.ends()
        return note

    # The checks of X11

    def resized(self, hands):
        hands.xdotool("windowsize", hands.window, 700, 500)
        hands.shows("narrow", self.wanted["narrow"])
        hands.xdotool("windowsize", hands.window, *SIZE)
        hands.shows("start", self.wanted["start"])

    def covered(self, hands, xvfb):
        # Covered content is lost, because the server keeps no copy.
        with client.cover(xvfb.display, hands.x + 200, hands.y + 100, 500, 400):
            claim(hands.differs(hands.shot(), self.wanted["start"]), "the other window is not visible")
        hands.shows("start", self.wanted["start"])

    def hidden(self, hands):
        hands.xdotool("windowunmap", "--sync", hands.window)
        hands.xdotool("windowmap", "--sync", hands.window)
        hands.shows("start", self.wanted["start"])

    def loses_focus(self, hands, xvfb):
        hands.focus()
        hands.press(279, 32)
        wait("the button is pressed", lambda: hands.differs(hands.shot(), self.wanted["start"]), 10)
        with client.cover(xvfb.display, 0, 0, 20, 20):
            hands.shows("start", self.wanted["start"])
            hands.release()
        hands.focus()
        hands.shows("start", self.wanted["start"])

    def gets_focus(self, hands, xvfb):
        with client.cover(xvfb.display, 0, 0, 20, 20):
            hands.move(300, 400)
        # Focus and click at once, as from a window manager that focuses the clicked window.
        hands.xdotool("windowfocus", hands.window, "click", 1)
        hands.shows("opened", self.wanted["opened"])
        hands.keys("Escape")
        hands.shows("start", self.wanted["start"])

    def covers_the_screen(self, xvfb, make_hands):
        """There is no window manager that would resize the window."""
        with Program(xvfb.environment, *SLIDESHOW, "--video", "x11") as program:
            hands = make_hands()
            frame = (hands.x, hands.y, *hands.size)
            claim(frame == (0, 0, *SCREEN), f"x, y, width and height of the window are {frame}")
            return self.changes_slides(program, hands, "slide", "next slide")

    def is_a_window(self, xvfb, make_hands):
        with Program(xvfb.environment, *SLIDESHOW, "--video", "x11", "--size", "700x500") as program:
            size = make_hands().size
            claim(size == (700, 500), f"the size of the window is {size}")
            program.terminate()
            program.ends()

    def x11(self, xvfb):
        def make_hands():
            return Hands(xvfb, "^vitrine$")

        self.used(xvfb, "x11", make_hands)
        with Program(xvfb.environment, "--video", "x11") as program:
            hands = make_hands()
            self.check("x11: a resized window is laid out again", lambda: self.resized(hands))
            self.check("x11: an uncovered window is redrawn", lambda: self.covered(hands, xvfb))
            self.check("x11: a window that is shown again is redrawn", lambda: self.hidden(hands))
            self.check("x11: losing the focus cancels a press", lambda: self.loses_focus(hands, xvfb))
            self.check("x11: a click that gives the focus is handled", lambda: self.gets_focus(hands, xvfb))
            self.check("x11: an idle program uses no processor time after these changes", lambda: self.sleeps(program))
            self.check("x11: closing the window ends the program",
                       lambda: (client.close_window(xvfb.display, hands.window), program.ends())[1])
        self.check("x11: a slideshow covers the whole screen", lambda: self.covers_the_screen(xvfb, make_hands))
        self.check("x11: a slideshow with a size is a window", lambda: self.is_a_window(xvfb, make_hands))
        self.check("x11: a missing server is reported",
                   lambda: self.refused("x11", {**xvfb.environment, "DISPLAY": ":4711"}, ":4711"))
        self.check("x11: a missing DISPLAY is reported", lambda: self.refused(
            "x11", {name: value for name, value in xvfb.environment.items() if name != "DISPLAY"}, "DISPLAY"))

    # The checks of Wayland

    def screen_of_its_own(self, weston, make_hands):
        with Program(weston.environment, "--video", "wayland", "--size", "700x500") as program:
            make_hands().shows("start", self.wanted["start"])
            program.terminate()
            program.ends()

    def covers_the_compositor(self, weston, make_hands):
        with Program(weston.environment, *SLIDESHOW, "--video", "wayland") as program:
            return self.changes_slides(program, make_hands(), "slide of the compositor", "next slide of the compositor")

    def wayland(self, xvfb):
        with Weston(xvfb) as weston:
            def make_hands():
                return Hands(xvfb, "^Weston Compositor$", shows_cursor=True)

            # Before the program starts: if weston receives the focus later, it may not forward keys to the program.
            make_hands()
            self.used(weston, "wayland", make_hands)
            self.check("wayland: the window takes the compositor's size", lambda: self.screen_of_its_own(weston, make_hands))
            self.check("wayland: a slideshow covers the whole screen",
                       lambda: self.covers_the_compositor(weston, make_hands))
        self.check("wayland: a missing compositor is reported",
                   lambda: self.refused("wayland", weston.environment, "vitrine"))
        self.check("wayland: a missing WAYLAND_DISPLAY is reported", lambda: self.refused(
            "wayland", {**xvfb.environment, "XDG_RUNTIME_DIR": "/nonexistent"}, "wayland-0 in /nonexistent"))

    def headless(self):
        with Weston(size=(1600, 1000)) as weston:
            if sdl_version() < (2, 30):
                self.check("headless: a compositor without a seat is refused",
                           lambda: self.refused("wayland", weston.environment, "no seat"))
                return
            self.check("headless: a script draws the same images as off screen",
                       lambda: self.same_by_script(weston, "wayland"))
            with Program(weston.environment, "--video", "wayland") as program:
                self.check("headless: standard error names the driver and the renderer",
                           lambda: program.says("vitrine: video wayland, renderer software"))
                self.check("headless: the compositor shows the images", lambda: self.composed(weston))
                self.check("headless: an idle program uses no processor time", lambda: self.sleeps(program))
                self.check("headless: SIGTERM ends the program", lambda: (program.terminate(), program.ends())[1])

    def composed(self, weston):
        wait("the window is on weston's screen", lambda: self.is_within(read(weston.shot())), 20)

    def is_within(self, screen):
        """Returns True if the start reference is somewhere on a screen, pixel for pixel."""
        wanted = self.wanted["start"].rows
        # A row of pixels with images and text occurs only once.
        probe = 120
        for y, row in enumerate(screen.rows):
            x = row.find(wanted[probe])
            if x >= 0 and y >= probe:
                rows = screen.rows[y - probe:y - probe + len(wanted)]
                return [row[x:x + len(wanted[0])] for row in rows] == wanted
        return False

    # The checks of failures

    def refused(self, driver, environment, missing):
        with Program(environment, "--video", driver) as program:
            program.ends(1)
            claim(len(program.errors) == 1 and f" {driver} " in program.errors[0] and missing in program.errors[0],
                  f"standard error: {program.errors}")
            return program.errors[0]

    def outlives(self, server, driver, renderer="software"):
        with server, Program(server.environment, "--video", driver, "--renderer", renderer) as program:
            program.says(f"vitrine: video {driver}, renderer {renderer}")
            wait("an idle program", lambda: self.is_still(program), 20)
            before = len(program.lines)
            server.kill()
            program.ends(1)
            lines = program.lines[before:]
            claim(lines == [f"vitrine: the {driver} display server is gone, and the window with it"],
                  f"standard error: {lines}")
            return lines[0]

    def all(self):
        renderers = ["software", "opengles2", "opengl"]
        with Xvfb() as xvfb:
            self.x11(xvfb)
            self.wayland(xvfb)
            for renderer in renderers:
                self.check(f"wayland: a killed compositor ends the program with one line ({renderer})",
                           lambda: self.outlives(Weston(xvfb), "wayland", renderer))
        self.headless()
        for renderer in renderers:
            self.check(f"x11: a killed server ends the program with one line ({renderer})",
                       lambda: self.outlives(Xvfb(), "x11", renderer))


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
