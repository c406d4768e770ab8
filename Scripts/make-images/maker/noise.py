"""Seeded noise: gradient noise, fractal sums of it and three-dimensional volumes."""

from functools import lru_cache

import numpy as np

# A rotation by about 37 degrees with a doubling, applied between octaves so
# that the lattice directions of one octave never line up with the next.
TURN_COS, TURN_SIN = 0.8, 0.6


@lru_cache(maxsize=256)
def _tables(seed):
    """Return the shuffled index table and the per-cell random values of a seed."""
    random = np.random.default_rng(seed)
    order = random.permutation(256).astype(np.int32)
    angle = random.uniform(0, 2 * np.pi, 256)
    value = random.uniform(0, 1, 256).astype(np.float32)
    return (
        np.concatenate([order, order, order[:2]]),
        np.cos(angle).astype(np.float32),
        np.sin(angle).astype(np.float32),
        value,
    )


def _cell(x, y, seed):
    """Return the four corner hashes and the position within the lattice cell."""
    order = _tables(seed)[0]
    floor_x, floor_y = np.floor(x), np.floor(y)
    in_x = (x - floor_x).astype(np.float32)
    in_y = (y - floor_y).astype(np.float32)
    cell_x = floor_x.astype(np.int32) & 255
    cell_y = floor_y.astype(np.int32) & 255
    left, right = order[cell_x] + cell_y, order[cell_x + 1] + cell_y
    corners = order[left], order[right], order[left + 1], order[right + 1]
    return corners, in_x, in_y


def _fade(t):
    return t * t * t * (t * (t * 6 - 15) + 10)


def perlin(x, y, seed=0):
    """Gradient noise at the given points, roughly within -1...1."""
    _, grad_x, grad_y, _ = _tables(seed)
    (h00, h10, h01, h11), in_x, in_y = _cell(x, y, seed)
    u, v = _fade(in_x), _fade(in_y)
    n00 = grad_x[h00] * in_x + grad_y[h00] * in_y
    n10 = grad_x[h10] * (in_x - 1) + grad_y[h10] * in_y
    n01 = grad_x[h01] * in_x + grad_y[h01] * (in_y - 1)
    n11 = grad_x[h11] * (in_x - 1) + grad_y[h11] * (in_y - 1)
    top = n00 + u * (n10 - n00)
    bottom = n01 + u * (n11 - n01)
    return (top + v * (bottom - top)) * 1.5


def _octaves(x, y, count, seed, lacunarity=2.0):
    """Yield the turned and scaled points of each octave with its seed."""
    for octave in range(count):
        yield x + 17.3 * octave, y - 9.1 * octave, seed * 131 + octave
        x, y = (
            (TURN_COS * x - TURN_SIN * y) * lacunarity,
            (TURN_SIN * x + TURN_COS * y) * lacunarity,
        )


def fbm(x, y, octaves=5, seed=0, gain=0.5):
    """Fractal sum of gradient noise, roughly within -1...1."""
    total, amplitude, weight = 0, 1.0, 0.0
    for at_x, at_y, octave_seed in _octaves(x, y, octaves, seed):
        total = total + amplitude * perlin(at_x, at_y, octave_seed)
        weight += amplitude
        amplitude *= gain
    return total / weight


def ridged(x, y, octaves=5, seed=0, gain=0.5):
    """Fractal sum with sharp crests, within 0...1."""
    total, amplitude, weight, carry = 0, 1.0, 0.0, 1.0
    for at_x, at_y, octave_seed in _octaves(x, y, octaves, seed):
        crest = np.clip(1 - np.abs(perlin(at_x, at_y, octave_seed)), 0, 1) ** 2
        total = total + amplitude * crest * carry
        carry = np.clip(crest * 1.4, 0, 1)
        weight += amplitude
        amplitude *= gain
    return total / weight


def billow(x, y, octaves=5, seed=0, gain=0.5):
    """Fractal sum with round heads, as of cumulus clouds, within 0...1."""
    total, amplitude, weight = 0, 1.0, 0.0
    for at_x, at_y, octave_seed in _octaves(x, y, octaves, seed):
        total = total + amplitude * (1 - np.abs(perlin(at_x, at_y, octave_seed)))
        weight += amplitude
        amplitude *= gain
    return total / weight


def eroded(x, y, octaves=8, seed=0):
    """Mountain heights: steep parts get less detail, as if washed down."""
    total, amplitude, slope_x, slope_y = 0, 1.0, 0, 0
    for at_x, at_y, octave_seed in _octaves(x, y, octaves, seed):
        value = _tables(octave_seed)[3]
        (h00, h10, h01, h11), in_x, in_y = _cell(at_x, at_y, octave_seed)
        a, b, c, d = value[h00], value[h10], value[h01], value[h11]
        u, v = _fade(in_x), _fade(in_y)
        du = 30 * in_x * in_x * (in_x * (in_x - 2) + 1)
        dv = 30 * in_y * in_y * (in_y * (in_y - 2) + 1)
        cross = a - b - c + d
        slope_x = slope_x + du * ((b - a) + cross * v)
        slope_y = slope_y + dv * ((c - a) + cross * u)
        height = a + (b - a) * u + (c - a) * v + cross * u * v
        total = total + amplitude * height / (1 + slope_x**2 + slope_y**2)
        amplitude *= 0.5
    return total


def cells(x, y, seed=0, jitter=0.9):
    """Return the two nearest feature distances and an id of the nearest cell."""
    random = np.random.default_rng(seed)
    shift_x = random.uniform(-0.5, 0.5, (256, 256)).astype(np.float32) * jitter
    shift_y = random.uniform(-0.5, 0.5, (256, 256)).astype(np.float32) * jitter
    floor_x, floor_y = np.floor(x).astype(np.int32), np.floor(y).astype(np.int32)
    nearest = np.full(x.shape, 9.0, np.float32)
    second = np.full(x.shape, 9.0, np.float32)
    identity = np.zeros(x.shape, np.int32)
    for step_y in range(-2, 3):
        for step_x in range(-2, 3):
            cell_x, cell_y = floor_x + step_x, floor_y + step_y
            index = cell_y & 255, cell_x & 255
            distance = np.hypot(
                cell_x + 0.5 + shift_x[index] - x, cell_y + 0.5 + shift_y[index] - y
            ).astype(np.float32)
            closer = distance < nearest
            second = np.where(closer, nearest, np.minimum(second, distance))
            identity = np.where(closer, index[0] * 256 + index[1], identity)
            nearest = np.where(closer, distance, nearest)
    return nearest, second, identity


def volume(size, octaves, seed, first=4):
    """A block of fractal noise that repeats along all three axes, 0...1."""
    random = np.random.default_rng(seed)
    block = np.zeros((size, size, size), np.float32)
    amplitude, weight, count = 1.0, 0.0, first
    for _ in range(octaves):
        part = random.uniform(0, 1, (count, count, count)).astype(np.float32)
        for axis in range(3):
            at = np.arange(size) * count / size
            low = np.floor(at).astype(int)
            shape = [1, 1, 1]
            shape[axis] = size
            t = _fade((at - low).astype(np.float32)).reshape(shape)
            before = np.take(part, low % count, axis)
            after = np.take(part, (low + 1) % count, axis)
            part = before + (after - before) * t
        block += amplitude * part
        weight += amplitude
        amplitude *= 0.5
        count *= 2
    return block / weight
