"""Outlines of trees and plants as polygons and lines in picture heights."""

import numpy as np


def conifer(random, x, base, height, slim=0.2):
    """A spruce: one ragged outline."""
    levels = int(random.integers(15, 21))
    sides = []
    for sign in (-1, 1):
        points = [(x, base - height)]
        for level in range(1, levels + 1):
            t = level / levels
            reach = slim * height * (t**0.9) * random.uniform(0.62, 1.12)
            y = base - height * (1 - t * 0.94)
            drop = height / levels * random.uniform(0.3, 0.8)
            points.append((x + sign * reach * 0.72, y + drop * 0.25))
            points.append((x + sign * reach, y + drop))
            points.append((x + sign * reach * random.uniform(0.62, 0.74), y + drop * 0.75))
            points.append((x + sign * reach * random.uniform(0.38, 0.55), y + drop * 0.5))
        points.append((x + sign * 0.018 * height, base - height * 0.05))
        points.append((x + sign * 0.018 * height, base + 0.02))
        sides.append(points)
    return sides[0] + sides[1][::-1]


def forest(random, start, stop, ground, spacing, height, spread=0.5, slim=0.2):
    """A row of spruces on the line `ground(x)`."""
    trees = []
    x = start
    while x < stop:
        tall = height * (1 + spread * random.uniform(-1, 1))
        trees.append(conifer(random, x, ground(x) + 0.01, tall, slim * random.uniform(0.8, 1.2)))
        x += spacing * random.uniform(0.3, 1.6)
    return trees


def tapered(points, start, stop):
    """A polygon along a bent line whose width runs from start to stop."""
    points = np.asarray(points, float)
    along = np.gradient(points, axis=0)
    along /= np.maximum(np.hypot(along[:, 0], along[:, 1])[:, None], 1e-9)
    normal = np.stack([-along[:, 1], along[:, 0]], -1)
    width = np.linspace(start, stop, len(points))[:, None] / 2
    return [*map(tuple, points + normal * width), *map(tuple, (points - normal * width)[::-1])]


def curve(start, bend, stop, count=16):
    """Points of a quadratic curve."""
    t = np.linspace(0, 1, count)[:, None]
    start, bend, stop = map(np.asarray, (start, bend, stop))
    return (1 - t) ** 2 * start + 2 * t * (1 - t) * bend + t * t * stop


def palm(random, x, base, height, lean):
    """A palm: trunk and feathered fronds."""
    crown = np.array([x + lean, base - height])
    trunk = curve((x, base), (x + lean * 0.15, base - height * 0.55), crown)
    shapes = [tapered(trunk, height * 0.05, height * 0.024)]
    for angle in np.linspace(-200, 20, 12) + random.uniform(-9, 9, 12):
        reach = height * random.uniform(0.36, 0.52)
        turn = np.radians(angle)
        tip = crown + reach * np.array([np.cos(turn), 0.75 * np.sin(turn) + 0.42])
        bend = crown + reach * 0.62 * np.array([np.cos(turn), np.sin(turn) - 0.12])
        rib = curve(crown, bend, tip, 26)
        shapes.append(tapered(rib, height * 0.012, height * 0.003))
        for i in range(3, 26):
            along = rib[i] - rib[i - 1]
            along /= np.hypot(*along)
            size = reach * 0.26 * np.sin(np.pi * (i / 26) ** 0.7) + reach * 0.03
            for sign in (-1, 1):
                out = np.array([-along[1], along[0]]) * sign
                leaf = rib[i] + size * (0.55 * along + 0.6 * out + [0, 0.45])
                base_point = rib[i] - along * reach * 0.012
                shapes.append([tuple(base_point), tuple(rib[i]), tuple(leaf)])
    return shapes


def broadleaf(random, x, base, height, depth=9, lean=0.0):
    """A grown tree: tapered branches and the places of its leaf clusters."""
    branches, clusters = [], []

    def grow(start, angle, length, width, level):
        bend = angle + random.uniform(-0.25, 0.25)
        middle = start + length * 0.5 * np.array([np.cos(angle), np.sin(angle)])
        stop = middle + length * 0.5 * np.array([np.cos(bend), np.sin(bend)])
        branches.append(tapered(curve(start, middle, stop, 6), width, width * 0.68))
        if level <= 4:
            clusters.append((stop[0], stop[1], length))
        if level == 0:
            return
        count = 3 if random.uniform() < 0.3 else 2
        spread = random.uniform(0.34, 0.58)
        upright = bend + 0.16 * (-np.pi / 2 - bend)
        for turn in np.linspace(-spread, spread, count):
            turn += random.uniform(-0.18, 0.18)
            grow(
                stop, upright + turn, length * random.uniform(0.70, 0.86), width * 0.66, level - 1
            )

    grow(np.array([x, base]), -np.pi / 2 + lean, height * 0.24, height * 0.075, depth)
    return branches, clusters
