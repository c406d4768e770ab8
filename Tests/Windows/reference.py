"""A reference image that was drawn off screen, and the comparison of a window with it."""

import image

# The status line at the bottom counts the images loaded while scrolling, which depend on the speed of the machine.
STATUS_LINE = 32


class Reference:
    """An image without its status line, and rectangles (left, top, right, bottom) that may differ."""

    def __init__(self, shot, ignored=()):
        self.size, self.ignored = (shot.width, shot.height), list(ignored)
        self.shot = shot

    def part(self, shot, ignored=()):
        """Returns the compared part of an image of the reference's size, with black pixels in ignored rectangles."""
        return shot.cut(0, shot.height - STATUS_LINE).covered([*self.ignored, *ignored])

    @property
    def rows(self):
        return self.part(self.shot).rows

    def differs(self, shot, ignored=(), levels=0):
        """Returns True if any pixel of another image differs by more than `levels` in a channel."""
        if (shot.width, shot.height) != self.size:
            return True
        shown, wanted = self.part(shot, ignored), self.part(self.shot, ignored)
        if not levels:
            return shown.rows != wanted.rows
        return image.difference(shown, wanted, 0.001, levels).fraction > 0

    def difference(self, shot, ignored=()):
        """Describes the difference in words."""
        if (shot.width, shot.height) != self.size:
            return f"its size is {shot.width}x{shot.height}"
        return str(image.difference(self.part(shot, ignored), self.part(self.shot, ignored)))
