"""Hands at the pointer and the keys of an X server, and eyes on one of its windows."""

import time

import picture
from checks import Failed, wait
from program import CACHE

# How far a mouse's cursor reaches from the point that it shows, where a compositor draws it into the picture.
CURSOR = 40


class Hands:
    """Uses the pointer and the keys of an X server like somebody who sits there."""

    def __init__(self, xvfb, name, shows_cursor=False):
        self.xvfb, self.shows_cursor = xvfb, shows_cursor
        # Levels of a channel by which what is seen may differ.
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
        """As a window manager does with a new window."""
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
        # With --sync it would wait for a move where the pointer is there already.
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

    def rest(self):
        """Takes the pointer to where no cursor is in the way."""
        width, height = self.size
        self.move(width - 1, height - 1)

    def drag(self, points, figures):
        self.press(*points[0])
        for point in points[1:]:
            # Moves that come at once are one; then the content would set out from another place.
            before = figures()
            self.move(*point)
            wait("the program hears of it", lambda: figures() != before, 10)
        # Held still, so that the content is not thrown.
        time.sleep(0.5)
        self.release()
        self.rest()

    def keys(self, *names):
        for name in names:
            self.xdotool("key", name)

    # Eyes

    def picture(self):
        return picture.read_ppm(self.xvfb.tool("import", "-window", self.window, "-depth", "8", "ppm:-"))

    def shows(self, name, wanted, timeout=20, ignored=()):
        """Waits until the window shows a reference, but for some rectangles."""
        deadline = time.monotonic() + timeout
        while True:
            shown = self.picture()
            if not self.differs(shown, wanted, ignored):
                return
            if time.monotonic() > deadline:
                break
            time.sleep(0.05)
        file = CACHE / "failed.png"
        picture.write_png(shown, file)
        found = wanted.difference(shown, [*ignored, *self.cursor])
        raise Failed(f"the window shows something else than “{name}”, see {file} ({found})")

    def differs(self, shown, wanted, ignored=()):
        return wanted.differs(shown, [*ignored, *self.cursor], self.levels)

    @property
    def cursor(self):
        """The rectangle where a cursor is, if any."""
        x, y = self.pointer
        return [(x - CURSOR, y - CURSOR, x + CURSOR, y + CURSOR)] if self.shows_cursor else []
