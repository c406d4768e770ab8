"""Colour, light and the picture plane.

Scenes are painted as float arrays in linear light, shaped (height, width, 3).
Positions are measured in picture heights: y runs from 0 at the top to 1 at the
bottom and x from 0 to the aspect ratio, so a scene looks alike at every size.
"""

import numpy as np
from PIL import Image, ImageDraw

RAMP_ENTRIES = 1024


def decode(encoded):
    """Convert sRGB values 0...1 to linear light."""
    encoded = np.asarray(encoded, np.float32)
    return np.where(
        encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4
    ).astype(np.float32)


def encode(linear):
    """Convert linear light to sRGB values 0...1."""
    linear = np.clip(linear, 0, 1)
    return np.where(
        linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055
    ).astype(np.float32)


def colour(text):
    """Return the linear light of a colour such as '#1B1E24'."""
    digits = text.lstrip('#')
    return decode([int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)])


_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _lab_from_linear(rgb):
    return np.cbrt(np.asarray(rgb, np.float64) @ _TO_CONES.T) @ _TO_LAB.T


def _linear_from_lab(lab):
    return (lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_CONES).T


def ramp(t, *stops):
    """Colours along a perceptually even gradient.

    Stops are (position, colour text) pairs; without positions they are spread
    evenly. The transitions at the stops are softened, so that no edges are visible.
    """
    if isinstance(stops[0], str):
        spread = np.linspace(0, 1, len(stops))
        stops = list(zip(spread, stops))
    places = np.array([place for place, _ in stops])
    labs = np.array([_lab_from_linear(colour(text)) for _, text in stops])
    reach = np.linspace(-0.25, 1.25, RAMP_ENTRIES * 3 // 2)
    table = np.stack([np.interp(reach, places, labs[:, i]) for i in range(3)], -1)
    kernel = np.hanning(61)
    kernel /= kernel.sum()
    padded = np.pad(table, ((30, 30), (0, 0)), 'edge')
    table = np.stack([np.convolve(padded[:, i], kernel, 'valid') for i in range(3)], -1)
    table = np.clip(_linear_from_lab(table), 0, None).astype(np.float32)
    last = len(table) - 1
    place = np.clip((np.asarray(t, np.float32) + 0.25) / 1.5, 0, 1) * last
    low = np.minimum(place.astype(np.int32), last - 1)
    part = (place - low.astype(np.float32))[..., None]
    return table[low] * (1 - part) + table[low + 1] * part


def smooth(low, high, t):
    """Return 0 below `low`, 1 above `high`, and a smooth S-curve between."""
    t = np.clip((t - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def mix(first, second, amount):
    """Blend two colours or pictures by a number or a mask."""
    if isinstance(first, str):
        first = colour(first)
    if isinstance(second, str):
        second = colour(second)
    amount = np.asarray(amount, np.float32)
    if amount.ndim:
        amount = amount[..., None]
    return first * (1 - amount) + second * amount


def add_light(picture, amount, tint):
    """Add a coloured light of the given strength at each point."""
    if isinstance(tint, str):
        tint = colour(tint)
    return picture + np.asarray(amount, np.float32)[..., None] * tint


def resize(picture, width, height, method=Image.Resampling.LANCZOS):
    """Scale a float picture or mask."""
    if picture.ndim == 3:
        planes = [resize(picture[..., i], width, height, method) for i in range(picture.shape[2])]
        return np.stack(planes, -1)
    plane = Image.fromarray(np.ascontiguousarray(picture, np.float32))
    return np.asarray(plane.resize((width, height), method))


def _gaussian(plane, sigma):
    margin = int(sigma * 3) + 1
    padded = np.pad(plane, margin, 'edge')
    rows = np.fft.fftfreq(padded.shape[0])[:, None]
    columns = np.fft.rfftfreq(padded.shape[1])[None]
    damping = np.exp(-2 * (np.pi * sigma) ** 2 * (rows**2 + columns**2))
    blurred = np.fft.irfft2(np.fft.rfft2(padded) * damping, s=padded.shape)
    return blurred[margin:-margin, margin:-margin].astype(np.float32)


def blur(picture, sigma):
    """Gaussian blur; sigma counts pixels. Wide blurs work on a reduced copy."""
    if picture.ndim == 3:
        planes = [blur(picture[..., i], sigma) for i in range(picture.shape[2])]
        return np.stack(planes, -1)
    if sigma < 0.3:
        return picture
    height, width = picture.shape
    factor = max(1, min(int(sigma / 3), min(width, height) // 8))
    if factor == 1:
        return _gaussian(picture, sigma)
    small = resize(picture, -(-width // factor), -(-height // factor), Image.Resampling.BOX)
    return resize(_gaussian(small, sigma / factor), width, height, Image.Resampling.BICUBIC)


def shifted(picture, down, right):
    """Return the picture moved by whole pixels, with its edges repeated."""
    height, width = picture.shape[:2]
    rows = np.clip(np.arange(height) - down, 0, height - 1)
    columns = np.clip(np.arange(width) - right, 0, width - 1)
    return picture[rows[:, None], columns[None]]


def bloom(picture, threshold=0.7, reach=0.03, strength=0.5):
    """Let bright parts glow softly into their surroundings."""
    height = picture.shape[0]
    bright = np.clip(picture - threshold, 0, 4)
    halo = sum(
        share * blur(bright, reach * height * scale)
        for share, scale in ((0.5, 0.3), (0.3, 1), (0.2, 3))
    )
    return picture + strength * np.clip(halo, 0, None)


def finish(picture, vignette=0.22, grain=0.006, dither=True, seed=1):
    """Turn a linear picture into an 8-bit image.

    Highlights roll off softly, the corners darken a little, and fine grain with
    dithering keeps gradients free of bands.
    """
    height, width = picture.shape[:2]
    knee = 0.65
    over = np.clip(picture - knee, 0, None)
    picture = np.where(
        picture > knee, knee + (1 - knee) * (1 - np.exp(-over / (1 - knee))), picture
    )
    rows = np.linspace(-1, 1, height)[:, None]
    columns = np.linspace(-1, 1, width)[None]
    corner = smooth(0.3, 2.0, rows**2 + columns**2)
    encoded = encode(picture * (1 - vignette * corner[..., None]))
    random = np.random.default_rng(seed)
    encoded = encoded + random.normal(0, 1, (height, width, 1)) * grain
    levels = encoded * 255
    if dither:
        noise = random.random((2, height, width, 3), np.float32)
        levels = levels + noise[0] - noise[1]
    return Image.fromarray(np.clip(np.rint(levels), 0, 255).astype(np.uint8))


class Frame:
    """The picture plane: point positions and drawing of soft-edged shapes."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.aspect = width / height
        self.pixel = 1 / height
        self.columns = ((np.arange(width) + 0.5) / height).astype(np.float32)
        rows = ((np.arange(height) + 0.5) / height).astype(np.float32)
        self.x, self.y = np.meshgrid(self.columns, rows)

    def below(self, line):
        """Mask of everything below a line, given by one y position per column."""
        return np.clip((self.y - line) / self.pixel + 0.5, 0, 1)

    def disc(self, x, y, radius, softness=0.0):
        """Mask of a disc."""
        soft = max(softness, self.pixel)
        distance = np.hypot(self.x - x, self.y - y)
        return np.clip((radius - distance) / soft + 0.5, 0, 1)

    def glow(self, x, y, reach, power=2.0):
        """Light that falls off around a point, one at its centre."""
        distance = np.hypot(self.x - x, self.y - y)
        return 1 / (1 + (distance / reach) ** power)

    def mask(self, polygons=(), lines=(), discs=()):
        """Mask of polygons, of (points, width) lines and of (x, y, r) discs."""
        scale = 2
        unit = self.height * scale
        sheet = Image.new('L', (self.width * scale, self.height * scale))
        draw = ImageDraw.Draw(sheet)
        for points in polygons:
            draw.polygon([(x * unit, y * unit) for x, y in points], fill=255)
        for points, width in lines:
            draw.line(
                [(x * unit, y * unit) for x, y in points],
                fill=255,
                width=max(1, round(width * unit)),
                joint='curve',
            )
        for x, y, radius in discs:
            draw.ellipse(
                [
                    (x - radius) * unit,
                    (y - radius) * unit,
                    (x + radius) * unit,
                    (y + radius) * unit,
                ],
                fill=255,
            )
        reduced = sheet.resize((self.width, self.height), Image.Resampling.BOX)
        return np.asarray(reduced, np.float32) / 255
