"""Input by the pointer and the keys of an X server, and screenshots of one of its windows."""

import time

import image
from checks import Failed, wait
from program import CACHE

# The maximum distance of the cursor's pixels from the pointer, if a compositor draws the cursor into the screenshot.
CURSOR = 40


class Hands:
    """Uses the pointer and the keys of an X server as a user does."""

    def __init__(self, xvfb, name, shows_cursor=False):
        self.xvfb, self.shows_cursor = xvfb, shows_cursor
        # The levels of a channel by which the window may differ from a reference.
        self.levels = 0
        self.window = wait(f"a window of “{name}”", lambda: self.find(name), 30)
        self.look_where()
        self.rest()
        self.focus()

    def xdotool(self, *words):
        return self.xvfb.tool("xdotool", *words).decode()

    def find(self, name):
        try:
            return int(self.xdotool("search", "--onlyvisible", "--class", name).split()[0])
        except Failed:
            return None

    def focus(self):
        """Gives the window the focus, as a window manager does for a new window."""
        if self.xdotool("getwindowfocus", "-f").strip() != str(self.window):
            self.xdotool("windowfocus", "--sync", self.window)

    def look_where(self):
        lines = self.xdotool("getwindowgeometry", "--shell", self.window).splitlines()
        values = dict(line.split("=") for line in lines)
        self.x, self.y = int(values["X"]), int(values["Y"])
        self.size = int(values["WIDTH"]), int(values["HEIGHT"])

    # Hands

    def move(self, x, y):
        self.pointer = (x, y)
        # With --sync, xdotool would wait forever if the pointer is at that position already.
        self.xdotool("mousemove", self.x + x, self.y + y)

    def press(self, x, y):
        self.move(x, y)
        self.xdotool("mousedown", 1)

    def release(self):
        self.xdotool("mouseup", 1)

    def click(self, x, y, button=1):
        self.move(x, y)
        self.xdotool("click", button)
        self.rest()

    def double_click(self, x, y):
        self.move(x, y)
        self.xdotool("click", "--repeat", 2, "--delay", 100, 1)
        self.rest()

    def rest(self):
        """Moves the pointer to the corner, where a cursor covers nothing of interest."""
        width, height = self.size
        self.move(width - 1, height - 1)

    def drag(self, points, figures):
        self.press(*points[0])
        for point in points[1:]:
            # Moves that arrive together are merged, and the drag would then start at another point.
            before = figures()
            self.move(*point)
            wait("the program receives the move", lambda: figures() != before, 10)
        # The pointer rests, so that the release is not a fling.
        time.sleep(0.5)
        self.release()
        self.rest()

    def keys(self, *names):
        for name in names:
            self.xdotool("key", name)

    # Eyes

    def shot(self):
        return image.read_ppm(self.xvfb.tool("import", "-window", self.window, "-depth", "8", "ppm:-"))

    def shows(self, name, wanted, timeout=20, ignored=()):
        """Waits until the window shows a reference, except in the `ignored` rectangles."""
        deadline = time.monotonic() + timeout
        while True:
            shown = self.shot()
            if not self.differs(shown, wanted, ignored):
                return
            if time.monotonic() > deadline:
                break
            time.sleep(0.05)
        file = CACHE / "failed.png"
        image.write_png(shown, file)
        found = wanted.difference(shown, [*ignored, *self.cursor])
        raise Failed(f"the window does not show “{name}”, see {file} ({found})")

    def differs(self, shown, wanted, ignored=()):
        return wanted.differs(shown, [*ignored, *self.cursor], self.levels)

    @property
    def cursor(self):
        """The rectangle of the cursor, if a compositor draws one."""
        x, y = self.pointer
        return [(x - CURSOR, y - CURSOR, x + CURSOR, y + CURSOR)] if self.shows_cursor else []
