"""Scenes of solid bodies, rendered by ray marching in distance fields."""

import numpy as np

from .canvas import bloom, colour, mix, ramp, smooth
from .noise import fbm
from .terrain import direction


class Camera:
    """Rays from an eye toward a target, through every pixel."""

    def __init__(self, frame, eye, target, focal):
        ahead = np.asarray(target, float) - eye
        ahead /= np.linalg.norm(ahead)
        right = np.cross([0, 1, 0], ahead)
        right /= np.linalg.norm(right)
        up = np.cross(ahead, right)
        u = (frame.x.ravel() - frame.aspect / 2) / focal
        v = (0.5 - frame.y.ravel()) / focal
        rays = ahead + u[:, None] * right + v[:, None] * up
        self.rays = (rays / np.linalg.norm(rays, axis=1, keepdims=True)).astype(np.float32).T
        self.eye = np.asarray(eye, np.float32)


def march(scene, start, rays, far=40.0, steps=110):
    """Distance along each ray to the scene; infinite for a ray that hits nothing."""
    reach = np.full(rays.shape[1], 0.01, np.float32)
    active = np.arange(rays.shape[1])
    for _ in range(steps):
        at = start[:, active] if start.ndim == 2 else start[:, None]
        gap = scene(*(at + rays[:, active] * reach[active]))
        reach[active] += gap
        active = active[(gap > 0.0006 * reach[active] + 0.0004) & (reach[active] < far)]
        if not len(active):
            break
    return np.where(reach < far, reach, np.inf)


def normals(scene, points, step=0.0015):
    """Unit normals of the field at points on its surface."""
    total = np.zeros_like(points)
    for sign in ((1, -1, -1), (-1, -1, 1), (-1, 1, -1), (1, 1, 1)):
        offset = np.array(sign, np.float32)[:, None]
        total += offset * scene(*(points + offset * step))
    return total / np.maximum(np.linalg.norm(total, axis=0), 1e-9)


def soft_shadow(scene, points, light, hardness=14.0, far=14.0, steps=44):
    """Light that arrives from a direction, with penumbra."""
    open_ways = np.ones(points.shape[1], np.float32)
    reach = np.full(points.shape[1], 0.02, np.float32)
    active = np.arange(points.shape[1])
    light = np.asarray(light, np.float32)[:, None]
    for _ in range(steps):
        gap = scene(*(points[:, active] + light * reach[active]))
        open_ways[active] = np.minimum(open_ways[active], hardness * gap / reach[active])
        reach[active] += np.clip(gap, 0.015, 0.6)
        active = active[(open_ways[active] > 0.002) & (reach[active] < far)]
        if not len(active):
            break
    return smooth(0, 1, np.clip(open_ways, 0, 1))


def occlusion(scene, points, normal, scale=1.0):
    """Openness of the surroundings of each point."""
    hidden, weight = 0, 1.0
    for step in (0.03, 0.09, 0.18, 0.32, 0.5):
        step = step * scale
        hidden = hidden + weight * (step - scene(*(points + normal * step))) / scale
        weight *= 0.72
    return np.clip(1 - 1.1 * hidden, 0, 1)


def _box(x, y, z, centre, half, rounding=0.0):
    qx = np.abs(x - centre[0]) - half[0] + rounding
    qy = np.abs(y - centre[1]) - half[1] + rounding
    qz = np.abs(z - centre[2]) - half[2] + rounding
    outside = np.sqrt(np.maximum(qx, 0) ** 2 + np.maximum(qy, 0) ** 2 + np.maximum(qz, 0) ** 2)
    return outside + np.minimum(np.maximum(qx, np.maximum(qy, qz)), 0) - rounding


def _ball(x, y, z, centre, radius):
    return np.sqrt((x - centre[0]) ** 2 + (y - centre[1]) ** 2 + (z - centre[2]) ** 2) - radius


def _merge(first, second, width):
    part = np.clip(0.5 + 0.5 * (second - first) / width, 0, 1)
    return second + (first - second) * part - width * part * (1 - part)


STILL_LIFE = (
    ((-1.02, 0.62, 0.35), 0.62, '#C8503F'),
    ((0.15, 0.88, 1.25), 0.88, '#E9DFCB'),
    ((1.22, 0.50, 0.10), 0.50, '#2F6F78'),
    ((0.36, 0.27, -0.62), 0.27, '#E5A73D'),
    ((-0.36, 0.19, -0.95), 0.19, '#31405F'),
    ((1.02, 0.15, -0.95), 0.15, '#D98B73'),
    ((-1.75, 0.24, -0.55), 0.24, '#DDB892'),
)


def still_life(frame):
    """Glazed spheres, a ring and a block on a table in window light."""

    def parts(x, y, z):
        back = np.maximum(z - 2.6, 0)
        floor = np.where(back > 0, np.minimum(y, 0) * 0 + np.minimum(y, 3.4 - back), y)
        ring = np.sqrt((np.hypot(x - 2.05, y - 0.60) - 0.47) ** 2 + (z - 1.15) ** 2) - 0.13
        block = _box(x, y, z, (-2.15, 0.62, 1.55), (0.45, 0.62, 0.45), 0.05)
        return [floor, ring, block] + [
            _ball(x, y, z, centre, radius) for centre, radius, _ in STILL_LIFE
        ]

    def scene(x, y, z):
        return np.minimum.reduce(parts(x, y, z))

    tints = [colour(text) for text in ('#CFC3B6', '#B98A4A', '#7D8F86')] + [
        colour(text) for _, _, text in STILL_LIFE
    ]
    camera = Camera(frame, (0.1, 1.75, -5.6), (0.05, 0.62, 0.6), 1.55)
    light = direction(-128, 42)

    def shade(start, rays, bounces):
        reach = march(scene, start, rays, 16)
        seen = np.flatnonzero(np.isfinite(reach))
        result = np.zeros((rays.shape[1], 3), np.float32)
        result[:] = ramp(np.clip(0.5 + 0.5 * rays[1], 0, 1), '#6E6660', '#B9AA9A', '#E9DCC8')
        origin = start[:, seen] if start.ndim == 2 else start[:, None]
        points = origin + rays[:, seen] * reach[seen]
        normal = normals(scene, points)
        which = np.argmin(np.stack(parts(*points)), 0)
        albedo = np.stack(tints)[which]
        speckle = fbm(points[0] * 3, points[2] * 3 + points[1] * 2, 4, 901)
        albedo = albedo * (1 + 0.05 * speckle)[:, None]
        lit = np.clip(normal.T @ light, 0, 1) * soft_shadow(scene, points, light, 7)
        open_sky = occlusion(scene, points, normal)
        window = np.exp(-(((points[0] + 0.9 + points[2] * 0.4) / 2.9) ** 2))
        wall = 0.30 + 0.22 * normal[1]
        colours = albedo * (
            lit[:, None] * colour('#FFE6C2') * (2.0 * (0.35 + 0.65 * window))[:, None]
            + (wall * open_sky)[:, None] * colour('#B4C0DC')
        )
        colours += (
            albedo * (0.12 * np.clip(-normal[1], 0, 1) * open_sky)[:, None] * colour('#E8C9A4')
        )
        glaze = which > 0
        bounce = rays[:, seen] - 2 * (rays[:, seen] * normal).sum(0) * normal
        shine = np.clip(bounce.T @ light, 0, 1)
        colours += (glaze * (0.9 * shine**260 + 0.10 * shine**24) * (lit > 0.02))[
            :, None
        ] * colour('#FFF3DC')
        if bounces:
            fresnel = 0.035 + 0.6 * np.clip(1 + (rays[:, seen] * normal).sum(0), 0, 1) ** 4
            mirrored = np.flatnonzero(glaze)
            gleam = shade(
                points[:, mirrored] + normal[:, mirrored] * 0.004, bounce[:, mirrored], bounces - 1
            )
            share = fresnel[mirrored, None]
            colours[mirrored] = colours[mirrored] * (1 - share) + gleam * share
        result[seen] = colours
        return result

    picture = shade(camera.eye, camera.rays, 1).reshape(frame.height, frame.width, 3)
    return bloom(picture, 0.85, 0.02, 0.35)


def colonnade(frame):
    """Arches beside a still pool in late sun."""

    def arches(x, y, z, depth, tall, pitch, base, wide):
        wall = _box(x, y, z, (0, tall / 2, depth), (60, tall / 2, 0.35))
        along = (x / pitch - np.round(x / pitch)) * pitch
        opening = np.where(y > base, np.hypot(along, y - base) - wide, np.abs(along) - wide)
        return np.maximum(wall, -opening)

    def parts(x, y, z):
        front = arches(x + 0.4, y, z, 4.6, 3.6, 2.5, 1.75, 0.85)
        rear = arches(x - 0.2, y, z, 9.0, 6.0, 3.4, 3.0, 1.15)
        stairs = np.minimum.reduce(
            [
                _box(
                    x,
                    y,
                    z,
                    (4.9 + 0.38 * step, 0.16 * (step + 1), 2.9),
                    (0.38 * (9 - step), 0.16 * (step + 1), 1.1),
                )
                for step in range(8)
            ]
        )
        ball = _ball(x, y, z, (-2.35, 0.62, 2.55), 0.62)
        floor = np.maximum(y, -_box(x, y, z, (0, 0, 0.1), (3.4, 0.22, 1.75)))
        tower = _box(x, y, z, (-9.5, 4.0, 13.5), (2.2, 4.6, 2.0))
        return [floor, front, rear, stairs, ball, tower]

    def scene(x, y, z):
        return np.minimum.reduce(parts(x, y, z))

    tints = np.stack(
        [
            colour(text)
            for text in ('#DDB79C', '#D98972', '#C86F66', '#E7C3A8', '#F1E5D0', '#B8635F')
        ]
    )
    camera = Camera(frame, (1.1, 1.75, -5.6), (0.25, 1.55, 4.0), 1.05)
    light = direction(-128, 33)

    def air(rays):
        return ramp(
            np.clip(rays[1] * 1.7 + 0.05, 0, 1), '#F9D9B4', '#D9C6BE', '#86AEBD', '#4A84A4'
        )

    def shade(start, rays):
        reach = march(scene, start, rays, 60, 130)
        seen = np.flatnonzero(np.isfinite(reach))
        result = air(rays)
        origin = start[:, seen] if start.ndim == 2 else start[:, None]
        points = origin + rays[:, seen] * reach[seen]
        normal = normals(scene, points)
        which = np.argmin(np.stack(parts(*points)), 0)
        plaster = (
            1
            + 0.06 * fbm(points[0] * 1.3 + points[2], points[1] * 1.3 + points[2] * 0.7, 5, 911)
            + 0.03 * fbm(points[0] * 14, points[1] * 14 + points[2] * 14, 3, 912)
        )
        joint = np.minimum(
            np.abs(points[0] / 0.9 - np.round(points[0] / 0.9)),
            np.abs(points[2] / 0.9 - np.round(points[2] / 0.9)),
        )
        tiles = np.where(
            (which == 0) & (normal[1] > 0.9), 1 - 0.12 * smooth(0.018, 0.008, joint), 1
        )
        lit = np.clip(normal.T @ light, 0, 1) * soft_shadow(scene, points, light, 26, 22, 56)
        open_sky = occlusion(scene, points, normal, 1.8)
        bounce = np.clip(0.5 - 0.5 * normal[1], 0, 1) * np.exp(-points[1] * 0.5)
        albedo = tints[which] * (plaster * tiles)[:, None]
        colours = albedo * (
            lit[:, None] * colour('#FFDDB0') * 2.0
            + ((0.24 + 0.18 * normal[1]) * open_sky)[:, None] * colour('#9FB8E0')
            + (0.26 * bounce * open_sky)[:, None] * colour('#F2B48C')
        )
        result[seen] = mix(colours, '#F6D6B8', (1 - np.exp(-reach[seen] * 0.012)))
        return result

    picture = shade(camera.eye, camera.rays)
    level = (-0.06 - camera.eye[1]) / np.minimum(camera.rays[1], -1e-5)
    at = camera.eye[:, None] + camera.rays * level
    pool = np.flatnonzero(
        (camera.rays[1] < 0) & (np.abs(at[0]) < 3.4) & (np.abs(at[2] - 0.1) < 1.75)
    )
    at = at[:, pool]
    wave = 0.010 * np.stack(
        [
            fbm(at[0] * 1.6, at[2] * 3.5, 2, 913) * 0.6,
            at[0] * 0 + 100,
            fbm(at[0] * 1.6 + 7, at[2] * 3.5, 2, 914) * 0.6,
        ]
    )
    surface = wave / np.linalg.norm(wave, axis=0)
    rays = camera.rays[:, pool]
    mirrored = rays - 2 * (rays * surface).sum(0) * surface
    seen = shade(at.astype(np.float32), mirrored.astype(np.float32))
    steep = np.clip(-rays[1], 0, 1)
    picture[pool] = mix(seen * 0.94, '#1F6672', np.clip(0.10 + 0.75 * steep, 0, 0.7))
    return bloom(picture.reshape(frame.height, frame.width, 3), 0.85, 0.03, 0.35)


def quicksilver(frame):
    """Drops of liquid metal that flow together."""
    random = np.random.default_rng(921)
    drops = [
        (
            (random.uniform(-1.25, 1.25), random.normal(0, 0.40), random.normal(0, 0.35)),
            random.uniform(0.16, 0.50),
        )
        for _ in range(13)
    ]

    def scene(x, y, z):
        gap = _ball(x, y, z, (0, 0, 0), 0.62)
        for centre, radius in drops:
            gap = _merge(gap, _ball(x, y, z, centre, radius), 0.26)
        return gap * 0.92

    camera = Camera(frame, (0.0, 0.35, -5.0), (0, 0, 0), 1.75)

    def air(rays):
        up = rays[1] + 0.10 * np.sin(rays[0] * 3)
        base = ramp(
            np.clip(0.5 + 0.5 * up, 0, 1),
            '#10131F',
            '#2A2440',
            '#8A4A62',
            '#F0A878',
            '#FBE3C0',
            '#7FA9C4',
            '#2E5C8C',
        )
        panel = (
            smooth(0.10, 0.16, rays[1] - 0.25)
            * smooth(0.62, 0.56, np.abs(rays[0] + 0.35) * 1.3)
            * smooth(0.85, 0.75, rays[1])
        )
        return base + (0.9 * panel)[:, None] * colour('#FFF1DA')

    backdrop = ramp(
        frame.y + 0.25 * np.hypot(frame.x - frame.aspect / 2, frame.y - 0.5),
        '#E9CDB8',
        '#D2A9A2',
        '#9C7F92',
        '#5B5674',
    )
    picture = backdrop.reshape(-1, 3).copy()
    reach = march(scene, camera.eye, camera.rays, 9)
    seen = np.flatnonzero(np.isfinite(reach))
    rays = camera.rays[:, seen]
    points = camera.eye[:, None] + rays * reach[seen]
    normal = normals(scene, points)
    bounce = rays - 2 * (rays * normal).sum(0) * normal
    colours = air(bounce)
    again = march(scene, points + normal * 0.01, bounce, 6, 60)
    hit = np.flatnonzero(np.isfinite(again))
    second = (points + normal * 0.01)[:, hit] + bounce[:, hit] * again[hit]
    second_normal = normals(scene, second)
    third = bounce[:, hit] - 2 * (bounce[:, hit] * second_normal).sum(0) * second_normal
    colours[hit] = air(third) * 0.82
    edge = np.clip(1 + (rays * normal).sum(0), 0, 1) ** 4
    picture[seen] = mix(
        colours * (0.55 + 0.45 * occlusion(scene, points, normal))[:, None],
        backdrop.reshape(-1, 3)[seen] * 1.1,
        edge * 0.6,
    )
    return bloom(picture.reshape(frame.height, frame.width, 3), 0.75, 0.03, 0.5)
