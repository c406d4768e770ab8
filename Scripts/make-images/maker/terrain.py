"""Landscapes in true perspective: heights, shadows, light and haze."""

import numpy as np

from .canvas import smooth


class View:
    """A landscape seen by an eye that looks along +z with a level horizon.

    `height_at(x, z)` returns the ground height. After construction, `ground` is the
    mask of pixels that show ground, and x, y, z are the points visible there.
    """

    def __init__(
        self, frame, height_at, eye=1.0, horizon=0.4, focal=1.2, near=0.2, far=60.0, steps=900
    ):
        self.frame, self.height_at = frame, height_at
        self.eye, self.horizon, self.focal = eye, horizon, focal
        self.near, self.far = near, far
        depths = np.geomspace(near, far, steps).astype(np.float32)
        side = (frame.columns - frame.aspect / 2) / focal
        heights = height_at(
            side[None] * depths[:, None], np.broadcast_to(depths[:, None], (steps, frame.width))
        )
        screen = horizon - focal * (heights - eye) / depths[:, None]
        self._find_surface(screen.astype(np.float32), depths, side)

    def _find_surface(self, screen, depths, side):
        rows = self.frame.y[:, 0]
        last = len(depths) - 1
        skyline = np.minimum.accumulate(screen, axis=0)
        depth = np.empty((self.frame.height, self.frame.width), np.float32)
        for column in range(self.frame.width):
            line = screen[:, column]
            hit = np.searchsorted(-skyline[:, column], -rows)
            inside = np.clip(hit, 1, last)
            before, after = line[inside - 1], line[inside]
            step = np.where(np.abs(before - after) < 1e-9, 1, before - after)
            part = np.clip((before - rows) / step, 0, 1)
            seen = depths[inside - 1] + part * (depths[inside] - depths[inside - 1])
            depth[:, column] = np.where(hit > last, np.inf, seen)
        self.skyline = skyline[-1]
        self.ground = np.isfinite(depth)
        self.z = np.where(self.ground, depth, self.far)
        self.x = side[None] * self.z
        self.y = self.eye + (self.horizon - self.frame.y) * self.z / self.focal

    def normal(self, detail=1.0):
        """Unit normals of the ground seen, as three arrays."""
        reach = np.maximum(self.z * self.frame.pixel * 1.5 / self.focal, 1e-4) * detail
        here = self.height_at(self.x, self.z)
        slope_x = (self.height_at(self.x + reach, self.z) - here) / reach
        slope_z = (self.height_at(self.x, self.z + reach) - here) / reach
        length = np.sqrt(slope_x**2 + slope_z**2 + 1)
        return -slope_x / length, 1 / length, -slope_z / length

    def haze(self, density, falloff=0.0):
        """Fraction of the view that the air hides, decreasing with height."""
        thin = np.exp(-np.clip(self.y, 0, None) * falloff)
        return 1 - np.exp(-self.z * density * thin)

    def project(self, x, y, z):
        """Picture position of a point in the landscape."""
        return (
            self.frame.aspect / 2 + x / z * self.focal,
            self.horizon - self.focal * (y - self.eye) / z,
        )


def direction(azimuth, elevation):
    """Unit vector to a light: azimuth 0 lies ahead, 90 to the right."""
    turn, rise = np.radians(azimuth), np.radians(elevation)
    parts = np.sin(turn) * np.cos(rise), np.sin(rise), np.cos(turn) * np.cos(rise)
    return np.array(parts, np.float32)


def facing(normal, light):
    """Cosine between the normals and the light, not below zero."""
    dot = normal[0] * light[0] + normal[1] * light[1] + normal[2] * light[2]
    return np.clip(dot, 0, 1)


def shadow(view, light, height_at=None, reach=4.0, steps=36, softness=0.08):
    """Light that arrives from a low sun: 0 in shadow, 1 in the open.

    Computed for every third pixel, because the edges are soft; `height_at` may be
    a coarser form of the landscape.
    """
    height_at = height_at or view.height_at
    x, y, z = view.x[::3, ::3], view.y[::3, ::3], view.z[::3, ::3]
    lift = 0.01 + np.clip(y - height_at(x, z), -0.05, 0.05)
    open_ways = np.ones(x.shape, np.float32)
    for distance in np.geomspace(0.02, reach, steps).astype(np.float32):
        along = distance + 0.002 * z
        room = (
            y
            - lift
            + 0.02
            + light[1] * along
            - height_at(x + light[0] * along, z + light[2] * along)
        )
        open_ways = np.minimum(open_ways, room / (softness * along) + 0.5)
    return _enlarge(smooth(0, 1, open_ways), z, view.z)


def _enlarge(coarse, coarse_depth, depth):
    """Spread every third value over all pixels without crossing edges in depth."""
    rows, columns = (np.arange(size) / 3 for size in depth.shape)
    total, weight = 0, 0
    for step_y in (0, 1):
        for step_x in (0, 1):
            row = np.minimum(rows.astype(int) + step_y, coarse.shape[0] - 1)[:, None]
            column = np.minimum(columns.astype(int) + step_x, coarse.shape[1] - 1)[None]
            part_y = np.abs(1 - step_y - rows % 1)[:, None]
            part_x = np.abs(1 - step_x - columns % 1)[None]
            near = np.exp(-np.abs(coarse_depth[row, column] / depth - 1) * 60) + 1e-4
            share = (part_y * part_x + 0.02) * near
            total = total + share * coarse[row, column]
            weight = weight + share
    return (total / weight).astype(np.float32)
