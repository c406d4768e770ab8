"""A picture that was drawn off screen, and what of it every window has to show."""

import picture

# The status line at the bottom counts what was loaded on the way, which depends on how fast a machine scrolls.
STATUS_LINE = 32


class Reference:
    """All of a picture but the status line, and rectangles (left, top, right, bottom) that may be otherwise."""

    def __init__(self, shot, ignored=()):
        self.size, self.ignored = (shot.width, shot.height), list(ignored)
        self.shot = shot

    def part(self, shot, ignored=()):
        """What of a picture of the same size is compared, and nothing elsewhere."""
        rows = shot.rows[:shot.height - STATUS_LINE]
        for left, top, right, bottom in [*self.ignored, *ignored]:
            for y in range(max(0, top), min(len(rows), bottom)):
                start, end = max(0, left), min(shot.width, right)
                rows[y] = rows[y][:start * 3] + bytes((end - start) * 3) + rows[y][end * 3:]
        return picture.Picture(shot.width, len(rows), rows)

    @property
    def rows(self):
        return self.part(self.shot).rows

    def differs(self, shot, ignored=(), levels=0):
        """Whether any pixel of another picture is not the same, or is so by more than some levels of a channel."""
        if (shot.width, shot.height) != self.size:
            return True
        shown, wanted = self.part(shot, ignored), self.part(self.shot, ignored)
        if not levels:
            return shown.rows != wanted.rows
        return picture.difference(shown, wanted, 0.001, levels).share > 0

    def difference(self, shot, ignored=()):
        """By how much it differs, in words."""
        if (shot.width, shot.height) != self.size:
            return f"its size is {shot.width}x{shot.height}"
        return str(picture.difference(self.part(shot, ignored), self.part(self.shot, ignored)))
