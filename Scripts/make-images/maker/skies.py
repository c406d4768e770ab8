"""Clouds seen from above, planets, nebulae and the moon."""

import numpy as np

from .air import crater_field, sky, stars, sun
from .canvas import Frame, add_light, bloom, colour, mix, ramp, resize, smooth
from .noise import fbm, perlin, ridged, volume
from .terrain import direction


def _lookup(block, x, y, z):
    """Smoothly interpolated values of a repeating block."""
    size = block.shape[0]
    low_x, low_y, low_z = np.floor(x), np.floor(y), np.floor(z)
    px, py, pz = (x - low_x), (y - low_y), (z - low_z)
    ix, iy, iz = (low.astype(np.int32) % size for low in (low_x, low_y, low_z))
    jx, jy, jz = (ix + 1) % size, (iy + 1) % size, (iz + 1) % size
    near = block[ix, iy, iz] * (1 - px) + block[jx, iy, iz] * px
    near_up = block[ix, jy, iz] * (1 - px) + block[jx, jy, iz] * px
    far = block[ix, iy, jz] * (1 - px) + block[jx, iy, jz] * px
    far_up = block[ix, jy, jz] * (1 - px) + block[jx, jy, jz] * px
    near = near * (1 - py) + near_up * py
    far = far * (1 - py) + far_up * py
    return (near * (1 - pz) + far * pz).astype(np.float32)


def cloud_sea(frame):
    """Towering clouds at sunset, seen from a plane; marched as a volume."""
    small = Frame(frame.width // 2, frame.height // 2)
    block = volume(64, 5, 501, 4)
    light = direction(24, 9)
    horizon, focal, eye = 0.40, 1.1, 2.1
    ray_x = (small.x - small.aspect / 2) / focal
    ray_y = (horizon - small.y) / focal
    length = np.sqrt(ray_x**2 + ray_y**2 + 1)
    ray_x, ray_y, ray_z = ray_x / length, ray_y / length, 1 / length

    def density(x, y, z):
        base = _lookup(block, x * 3.0, y * 3.4 + 3, z * 3.0)
        fine = _lookup(block, x * 11.3, y * 11.3 + 9, z * 11.3)
        tower = _lookup(block, x * 0.55 + 11, np.zeros_like(y) + 5, z * 0.55 + 40)
        top = 0.50 + 3.6 * smooth(0.47, 0.70, tower)
        shape = 1.25 * (base - 0.5) + 0.42 * (fine - 0.5) + 0.16 - 0.26 * np.clip(y / top, -1, 3)
        return np.clip(shape * 5.0, 0, 1)

    def air(rx, ry, rz):
        toward = np.clip(rx * light[0] + ry * light[1] + rz * light[2], 0, 1)
        base = ramp(
            np.clip(0.5 - ry * 1.5, 0, 1), '#3C5A94', '#7E8DB8', '#E3AE9C', '#FFC68C', '#F2A578'
        )
        return base + (
            0.45 * toward[..., None] ** 12 * colour('#FFB36B')
            + 0.9 * toward[..., None] ** 220 * colour('#FFE0A8')
            + 3.0 * smooth(0.99945, 0.9997, toward)[..., None] * colour('#FFF2D0')
        )

    background = air(ray_x, ray_y, ray_z)
    through = np.ones(small.x.size, np.float32)
    gathered = np.zeros((small.x.size, 3), np.float32)
    rx, ry, rz = (part.ravel() for part in (ray_x, ray_y, ray_z))
    toward = rx * light[0] + ry * light[1] + rz * light[2]
    phase = 0.55 + 0.9 * np.clip(toward, 0, 1) ** 8
    haze = background.reshape(-1, 3)
    random = np.random.default_rng(502)
    jitter = random.random(small.x.size).astype(np.float32)
    distances = np.geomspace(1.6, 42, 190).astype(np.float32)
    for near, far in zip(distances[:-1], distances[1:]):
        step = far - near
        at = near + step * jitter
        y = eye + ry * at
        index = np.flatnonzero((through > 0.02) & (y < 5.6) & (y > -1.2))
        if not len(index):
            continue
        x, yy, z = rx[index] * at[index], y[index], rz[index] * at[index]
        thick = density(x, yy, z)
        inside = thick > 0.004
        index, thick = index[inside], thick[inside]
        if not len(index):
            continue
        x, yy, z = x[inside], yy[inside], z[inside]
        shade = sum(
            weight * density(x + light[0] * reach, yy + light[1] * reach, z + light[2] * reach)
            for reach, weight in ((0.12, 0.14), (0.35, 0.30), (0.85, 0.55), (1.8, 0.9))
        )
        sunlit = np.exp(-shade * 2.4) * phase[index] * (0.55 + 0.45 * (1 - np.exp(-thick * 6)))
        ambient = 0.30 + 0.40 * smooth(-0.8, 2.4, yy)
        tint = (
            sunlit[:, None] * colour('#FFC08A') * 1.9 + ambient[:, None] * colour('#7479B2') * 0.62
        )
        fade = 1 - np.exp(-at[index] * 0.024)
        tint = mix(tint, haze[index], fade)
        cover = 1 - np.exp(-thick * step * 9.0)
        gathered[index] += (through[index] * cover)[:, None] * tint
        through[index] *= 1 - cover
    cloud = gathered.reshape(small.height, small.width, 3)
    left = through.reshape(small.height, small.width)
    width, height = frame.width, frame.height
    wide_x = (frame.x - frame.aspect / 2) / focal
    wide_y = (horizon - frame.y) / focal
    reach = np.sqrt(wide_x**2 + wide_y**2 + 1)
    picture = (
        air(wide_x / reach, wide_y / reach, 1 / reach) * resize(left, width, height)[..., None]
    )
    return bloom(picture + resize(cloud, width, height), 0.75, 0.04, 0.45)


def nebula_light(frame, seed, tints, scale=1.6, strength=1.0):
    """Glowing gas with dark lanes."""
    x, y = frame.x * scale, frame.y * scale
    warp_x, warp_y = fbm(x, y, 4, seed), fbm(x + 5, y + 3, 4, seed + 1)
    x, y = x + 0.9 * warp_x, y + 0.9 * warp_y
    body = smooth(-0.15, 0.75, fbm(x, y, 8, seed + 2, 0.56) + 0.22)
    wisps = ridged(x * 1.3, y * 1.3, 7, seed + 3, 0.55)
    lanes = smooth(0.05, 0.5, fbm(x * 1.7 + 8, y * 1.7, 7, seed + 4, 0.58))
    gas = np.clip(body * (0.35 + 1.1 * wisps) * (1 - 0.8 * lanes), 0, 1.6)
    hue = np.clip(0.5 + 0.9 * fbm(x * 0.5 + 20, y * 0.5, 4, seed + 5) + 0.2 * warp_x, 0, 1)
    return strength * (gas**1.35)[..., None] * ramp(hue, *tints), gas


def nebula(frame):
    """A nursery of stars."""
    picture = np.zeros((frame.height, frame.width, 3), np.float32) + colour('#05060F')
    cool, _ = nebula_light(frame, 511, ('#2C4FA0', '#3E8FB8', '#6FC3C0'), 1.1, 0.55)
    warm, _ = nebula_light(frame, 524, ('#B5476A', '#E08A5E', '#F6CF9A'), 1.5, 1.0)
    core_x, core_y = frame.aspect * 0.54, 0.46
    core = frame.glow(core_x, core_y, 0.33, 2.6)
    picture = (
        picture + cool * (0.4 + 0.9 * core)[..., None] + warm * (0.12 + 1.35 * core)[..., None]
    )
    pillars = ridged(
        frame.x * 2.0 + 0.4 * fbm(frame.x * 3, frame.y * 3, 4, 531), frame.y * 0.9, 7, 532, 0.52
    )
    dark = smooth(0.55, 0.80, pillars + 0.35 * (frame.y - 0.62)) * smooth(0.42, 0.75, frame.y)
    picture = mix(picture, '#120B14', dark * 0.85)
    rim = np.exp(-(((pillars + 0.35 * (frame.y - 0.62) - 0.56) / 0.03) ** 2)) * smooth(
        0.42, 0.7, frame.y
    )
    picture = add_light(picture, rim * core * 0.30, '#FFC79A')
    picture = picture + stars(frame, 540, 72, 1.0)
    for x, y, size in (
        (0.52, 0.40, 1.0),
        (0.60, 0.52, 0.6),
        (0.43, 0.55, 0.45),
        (0.22, 0.22, 0.5),
        (0.82, 0.74, 0.4),
    ):
        dx, dy = frame.x - x * frame.aspect, frame.y - y
        spike = np.exp(-np.abs(dx) / 0.0012) * np.exp(-np.abs(dy) / (0.035 * size)) + np.exp(
            -np.abs(dy) / 0.0012
        ) * np.exp(-np.abs(dx) / (0.035 * size))
        halo = frame.glow(x * frame.aspect, y, 0.006 * size, 2)
        picture = add_light(picture, size * (0.5 * spike + 1.5 * halo), '#E6EEFF')
    return bloom(picture, 0.6, 0.03, 0.6)


def sphere(frame, x, y, radius):
    """Mask and unit normals of a ball in the picture."""
    u, v = (frame.x - x) / radius, (y - frame.y) / radius
    reach = u * u + v * v
    w = np.sqrt(np.clip(1 - reach, 0, 1))
    scale = 1 / np.maximum(np.sqrt(reach), 1)
    return frame.disc(x, y, radius), u * scale, v * scale, w


def gas_giant(frame, x, y, radius, light, tints, seed=551, tilt=0.35):
    """Colour and mask of a banded planet lit by a far sun."""
    mask, u, v, w = sphere(frame, x, y, radius)
    across = u * np.cos(tilt) + v * np.sin(tilt)
    up = -u * np.sin(tilt) + v * np.cos(tilt)
    turn = np.arctan2(across, w + 1e-6)
    eddies = fbm(turn * 2.2, up * 9, 6, seed, 0.55)
    level = up * 3.6 + 0.16 * eddies + 0.10 * fbm(turn * 5, up * 26, 4, seed + 1)
    bands = (
        0.5
        + 0.42 * np.sin(level * 3.1) * np.cos(level * 1.3 + 0.6)
        + 0.18 * perlin(level * 3, level * 0, seed + 2)
    )
    surface = ramp(np.clip(bands + 0.10 * eddies, 0, 1), *tints)
    lit = np.clip(u * light[0] + v * light[1] + w * light[2], -1, 1)
    day = smooth(-0.12, 0.75, lit)
    rim = (1 - w) ** 3
    picture = surface * (day * (0.35 + 0.75 * w))[..., None] * 1.45
    picture = add_light(picture, rim * day * 0.45, tints[-1])
    return picture, mask, up


def ring_light(frame, x, y, radius, tilt, flat, seed):
    """Opacity of a ring system, its distance and which half lies in front."""
    dx, dy = frame.x - x, y - frame.y
    along = dx * np.cos(tilt) + dy * np.sin(tilt)
    across = (-dx * np.sin(tilt) + dy * np.cos(tilt)) / flat
    away = np.hypot(along, across) / radius
    grooves = (
        0.62
        + 0.5 * perlin(away * 14, away * 0, seed)
        + 0.32 * perlin(away * 47, away * 0, seed + 1)
        + 0.15 * perlin(away * 120, away * 0, seed + 2)
    )
    gap = 1 - 0.92 * np.exp(-(((away - 1.94) / 0.028) ** 2))
    soft = 2.5 * frame.pixel / radius / flat
    inside = smooth(1.24 - soft, 1.30 + soft, away) * smooth(2.36 + soft, 2.26 - soft, away)
    return np.clip(grooves, 0.06, 1) * gap * inside, away, across < 0, along, across


def ringed_planet(frame):
    """A ringed planet before a nebula."""
    picture = np.zeros((frame.height, frame.width, 3), np.float32) + colour('#060814')
    gas, _ = nebula_light(frame, 561, ('#233A78', '#4A5CA0', '#8A6AA6', '#C4808C'), 1.0, 0.50)
    picture = picture + gas + stars(frame, 565, 72, 0.95)
    x, y, radius, tilt, flat = frame.aspect * 0.57, 0.50, 0.27, 0.36, 0.24
    light = np.array([-0.72, 0.42, 0.55])
    body, mask, up = gas_giant(
        frame,
        x,
        y,
        radius,
        light,
        ('#5E3B33', '#A9745A', '#D6A983', '#EBD3B0', '#F7E9D2'),
        551,
        tilt,
    )
    ring, away, front, along, across = ring_light(frame, x, y, radius, tilt, flat, 571)
    shade_line = np.exp(-(((up - 0.18) / 0.085) ** 2))
    body = body * (1 - 0.60 * shade_line)[..., None]
    down = (along * 0.86 + across * flat * 0.2) / radius
    side = np.abs(across * 0.75 * 1 - along * 0.20) / radius
    in_shadow = smooth(1.05, 0.9, side) * smooth(0.1, 0.5, down) * (away > 1)
    ring_tint = ramp(
        np.clip((away - 1.25) / 1.05, 0, 1), '#8E7562', '#D9BE9A', '#EFDFC2', '#B39C86'
    )
    ring_tint = ring_tint * (0.95 * (1 - 0.90 * in_shadow))[..., None]
    picture = mix(picture, ring_tint, ring * ~front * 0.92)
    halo = frame.glow(x - 0.05, y - 0.03, radius * 0.9, 6) * (1 - mask)
    picture = add_light(picture, halo * 0.05, '#F3D8B4')
    picture = mix(picture, body, mask)
    picture = mix(picture, ring_tint, ring * front * 0.92)
    moon_x, moon_y = frame.aspect * 0.17, 0.27
    disc, u, v, w = sphere(frame, moon_x, moon_y, 0.042)
    lit = smooth(-0.1, 0.9, u * light[0] + v * light[1] + w * light[2])
    face = (0.5 + 0.5 * fbm(u * 3, v * 3, 5, 574))[..., None] * colour('#B9C6DA')
    picture = mix(picture, face * (lit * 1.5)[..., None] + colour('#05070F'), disc)
    return bloom(picture, 0.6, 0.04, 0.5)


def moon_phase(frame, angle):
    """A cratered moon lit from the given angle; 0 is new and pi is full."""
    picture = np.zeros((frame.height, frame.width, 3), np.float32) + colour('#0B1020')
    picture = add_light(picture, 0.05 * frame.glow(frame.aspect / 2, 0.5, 0.5), '#4A6496')
    picture = picture + stars(frame, 580, 34, 0.8)
    mask, u, v, w = sphere(frame, frame.aspect / 2, 0.5, 0.36)
    turn, rise = np.arctan2(u, w + 1e-6), np.arcsin(np.clip(v, -1, 1))

    def relief(at_turn, at_rise):
        return (
            0.5 * crater_field(at_turn, at_rise, 583, 2.6)
            + 0.22 * crater_field(at_turn, at_rise, 584, 6.5)
            + 0.25 * fbm(at_turn * 6, at_rise * 6, 4, 585)
        )

    step = 0.01
    here = relief(turn, rise)
    bump_u = (relief(turn + step, rise) - here) / step * 0.035
    bump_v = (relief(turn, rise + step) - here) / step * 0.035
    seas = smooth(-0.05, 0.35, fbm(turn * 1.3 + 2, rise * 1.3, 4, 586))
    nx, ny, nz = u - bump_u, v - bump_v, w
    length = np.sqrt(nx**2 + ny**2 + nz**2)
    light_x, light_z = np.sin(angle), -np.cos(angle)
    lit = np.clip((nx * light_x + ny * 0.12 + nz * light_z) / length, 0, 1)
    lit = lit * smooth(-0.08, 0.12, u * light_x + w * light_z)
    stone = mix('#DAD6CC', '#8A8A90', seas)
    face = stone * (1.35 * lit**0.8)[..., None] + colour('#101626') * 0.6
    picture = mix(picture, face, mask)
    return bloom(picture, 0.7, 0.05, 0.4)


def evening_pixels(frame):
    """A tiny evening landscape of large square dots."""
    picture = sky(frame, ('#2B2A5A', '#6B4A86', '#C9678A', '#F49C7C', '#FCD59A'), 0, 0.74)
    picture = picture + stars(frame, 590, 15, 1.0) * smooth(0.35, 0.05, frame.y)[..., None] * 2
    picture = sun(frame, picture, frame.aspect * 0.64, 0.52, 0.085, '#FFF0B8', '#FF9E6E', 0.5)
    for layer, (low, tall, tint, seed) in enumerate(
        (
            (0.70, 0.30, '#A35C8E', 591),
            (0.78, 0.26, '#6A4482', 592),
            (0.88, 0.20, '#3B2F66', 593),
            (0.99, 0.14, '#1C1A42', 594),
        )
    ):
        rough = ridged(frame.columns * (1.2 + 0.5 * layer) + layer * 9, frame.columns * 0, 5, seed)
        line = low - tall * rough
        body = mix(tint, '#F0A08C', np.clip((frame.y - line) / 0.4, 0, 1) * (0.4 - 0.1 * layer))
        picture = mix(picture, body, frame.below(line) > 0.5)
    return picture
