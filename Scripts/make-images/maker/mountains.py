"""Mountains, dunes, canyons, valleys and fields."""

import numpy as np

from . import flora
from .air import milky_way, moon, plane_clouds, sky, stars, streaks, sun
from .canvas import add_light, bloom, blur, colour, mix, ramp, shifted, smooth
from .noise import billow, cells, eroded, fbm, perlin, ridged
from .terrain import View, direction, facing, shadow
from .waters import mirror


def _ground(picture, view, surface):
    return np.where(view.ground[..., None], surface, picture)


def _alps(seed, scale=0.16, height=4.4, valley=2.2, start=6.0):
    """A range that rises on both sides of a valley and closes behind it."""

    def height_at(x, z, octaves=10):
        rise = smooth(valley * 0.3, valley * 3.2, np.abs(x + 1.4 * np.sin(z * 0.22))) * smooth(
            1.0, start, z
        )
        rise = np.maximum(rise, smooth(start, start * 2.4, z) * 0.9)
        rough = eroded(x * scale + 3.1, z * scale, octaves, seed)
        return rough * height * (0.06 + 0.94 * rise)

    return height_at


def first_light(frame):
    """Sunrise on a snowy range above a dark valley."""
    height_at = _alps(5, height=3.7)
    view = View(frame, height_at, eye=2.2, horizon=0.55, focal=1.05, near=1.0, far=42)
    light = direction(-62, 13)
    normal = view.normal(0.8)
    lit = shadow(view, light, lambda x, z: height_at(x, z, 7), 7)
    sun_light = facing(normal, light) * lit
    bounce = facing(normal, direction(150, 55))
    patches = fbm(view.x * 1.4, view.z * 1.4, 5, 8)
    snow = smooth(0.52, 0.72, normal[1] + 0.10 * (view.y - 1.6) + 0.12 * patches)
    snow = snow * smooth(0.7, 1.7, view.y + 0.5 * patches)
    rock = mix('#4B4650', '#6A5E5E', smooth(-0.4, 0.4, fbm(view.x * 4, view.y * 9, 4, 2)))
    pines = 1 - smooth(0.7, 1.35, view.y + 0.35 * patches)
    rock = mix(rock, '#1D2A2B', pines * smooth(0.45, 0.7, normal[1]))
    albedo = mix(rock, '#E9EDF5', snow)
    surface = albedo * (
        sun_light[..., None] * colour('#FFB483') * 2.7
        + (0.30 + 0.28 * bounce)[..., None] * colour('#7F93CC')
    )
    haze = view.haze(0.038, 0.28)
    mist = (
        smooth(1.35, 0.25, view.y)
        * smooth(2, 6, view.z)
        * (0.85 + 0.5 * fbm(view.x * 0.5, view.z * 0.3, 5, 77))
    )
    air = ramp(frame.x / frame.aspect, '#F3B79A', '#C6A9BC', '#8F9BC4')
    surface = mix(surface, air, haze * 0.85)
    billows = smooth(-0.35, 0.4, fbm(view.x * 0.7 + 0.3 * patches, view.z * 0.35, 6, 79))
    cloud = mix('#8E8DB8', '#F2D3CB', billows)
    surface = mix(
        surface, mix(cloud, '#FFCBA0', 0.5 * frame.glow(0, 0.6, 0.6)), np.clip(mist, 0, 0.93)
    )
    picture = sky(frame, ('#3F5C9A', '#7D8FC0', '#C9AFC0', '#F6C3A0', '#FFD3A8'), 0, 0.56)
    picture = streaks(frame, picture, '#FFD0B0', '#B995AE', 21, 0.42, 0.0, 0.42, 0.06)
    picture = add_light(picture, 0.5 * frame.glow(-0.1, 0.42, 0.5), '#FF9A5E')
    picture = _ground(picture, view, surface)
    return bloom(picture, 0.75, 0.03, 0.5)


def dunes(frame):
    """Evening light on a field of dunes."""

    def height_at(x, z, octaves=3):
        bend = fbm(x * 0.16, z * 0.16, 3, 4)
        wave = x * 0.20 + z * 0.16 + 1.5 * bend
        crest = 1 - np.hypot(perlin(wave, z * 0.09 - x * 0.05 + bend, 31), 0.022)
        second = 1 - np.hypot(perlin(wave * 1.9 + 7, z * 0.2 + bend, 33), 0.04)
        return 1.7 * np.abs(crest) ** 1.6 + 0.4 * np.abs(second) ** 1.5 + 0.5 * bend

    view = View(frame, height_at, eye=3.3, horizon=0.33, focal=1.25, near=1.0, far=70, steps=2600)
    light = direction(88, 21)
    nx, ny, nz = view.normal(2.6)
    ripple_phase = (view.x * 0.75 + view.z * 0.5) * 17 + 6 * fbm(view.x * 0.6, view.z * 0.6, 3, 8)
    near = np.exp(-view.z / 6.5)
    nx = nx + 0.13 * near * np.cos(ripple_phase)
    sun_light = facing((nx, ny, nz), light) * shadow(view, light, None, 6, 130, 0.05)
    grain = 1 + 0.05 * near * fbm(view.x * 40, view.z * 40, 2, 9)
    sand = mix('#D99A5B', '#E8B57A', smooth(-0.3, 0.3, fbm(view.x * 0.5, view.z * 0.5, 4, 6)))
    surface = (
        sand
        * grain[..., None]
        * (
            sun_light[..., None] * colour('#FFD9A0') * 2.3
            + (0.26 + 0.26 * ny)[..., None] * colour('#A892BE')
        )
    )
    air = ramp(frame.x / frame.aspect, '#C99C9C', '#E9B694', '#FBD3A0')
    surface = mix(surface, air, view.haze(0.022))
    picture = sky(frame, ('#5D7FAE', '#93A6BC', '#D9BFAA', '#F7D5A8'), 0, 0.36)
    picture = streaks(frame, picture, '#FCE6C8', '#D9B7A4', 5, 0.34, 0, 0.26, -0.08)
    picture = add_light(picture, 0.45 * frame.glow(frame.aspect * 1.02, 0.2, 0.5), '#FFC27A')
    return bloom(_ground(picture, view, surface), 0.7, 0.04, 0.4)


def canyon(frame):
    """A river canyon with layered rock at the end of the day."""

    def height_at(x, z, octaves=6):
        course = 2.3 * np.sin(z * 0.20) + 1.1 * np.sin(z * 0.47 + 1) - 0.4
        rough = fbm(x * 0.35, z * 0.35, octaves, 12)
        gap = np.abs(x - course) + 1.5 * rough + 0.25 * ridged(x, z, 4, 5)
        wall = smooth(0.7, 6.2, gap) * 5.2
        step = wall + 0.25 * fbm(x * 0.2, z * 0.2, 3, 9)
        terrace = np.floor(step) + smooth(0.45, 1.0, step - np.floor(step))
        return (
            terrace * 0.82
            + 0.05 * fbm(x * 3, z * 3, max(octaves - 3, 1), 3)
            + 0.35 * rough * (wall > 4)
        )

    view = View(frame, height_at, eye=4.9, horizon=0.27, focal=0.95, near=1.2, far=60)
    light = direction(-70, 24)
    normal = view.normal(1.0)
    lit = shadow(view, light, lambda x, z: height_at(x, z, 4), 8)
    sun_light = facing(normal, light) * lit
    band = view.y * 5.5 + 0.5 * fbm(view.x * 0.4, view.z * 0.4, 3, 14)
    layer = 0.5 + 0.5 * np.sin(band * 2.1) * np.sin(band * 0.83 + 1)
    layer = layer + 0.2 * fbm(view.x * 1.5, view.y * 16, 4, 15)
    rock = ramp(np.clip(layer, 0, 1), '#7A3B2C', '#B4603F', '#CF8858', '#E2B183')
    flat = smooth(0.8, 0.95, normal[1])
    scrub = smooth(0.0, 0.25, fbm(view.x * 5, view.z * 5, 4, 16)) * flat
    rock = mix(rock, '#8E6E4C', flat * 0.6)
    rock = mix(rock, '#55603C', scrub * 0.75)
    surface = rock * (
        sun_light[..., None] * colour('#FFD2A0') * 2.4
        + (0.16 + 0.22 * normal[1])[..., None] * colour('#8FA0CE')
    )
    water = smooth(0.20, 0.10, view.y) * smooth(0.7, 0.98, normal[1])
    ripple = fbm(view.x * 1.2, view.z * 5, 4, 18)
    depth = np.clip(view.z / 34 + 0.05 * ripple, 0, 1)
    stream = mix(
        ramp(depth, '#1D4A52', '#3F7C80', '#A9B9B0', '#F0CFAE'),
        '#7A4A38',
        0.45 * smooth(-0.1, 0.6, fbm(view.x * 0.9, view.z * 0.25, 3, 19)),
    )
    surface = mix(surface, stream, water)
    air = mix('#B9A9BE', '#F0C8A4', np.clip(frame.x / frame.aspect * -1 + 1, 0, 1))
    surface = mix(surface, air, view.haze(0.020))
    picture = sky(frame, ('#4C78B0', '#8FB0CC', '#E4D2BC', '#F8D9AE'), 0, 0.3)
    picture = plane_clouds(frame, picture, 0.3, (0, 0.25), '#FFF0DC', '#B7A3B0', 0.52, 0.55, 41)
    return bloom(_ground(picture, view, surface), 0.75, 0.03, 0.35)


def mesa(frame):
    """Table mountains on a plain after sunset."""
    buttes = (
        (-3.6, 15, 1.7, 2.9),
        (0.2, 24, 1.3, 3.1),
        (4.9, 17, 2.4, 2.6),
        (9.5, 34, 3.5, 3.2),
        (-11, 36, 4.5, 3.0),
        (2.1, 20.5, 0.35, 2.4),
    )

    def height_at(x, z, octaves=6):
        rough = fbm(x * 0.9, z * 0.9, octaves, 17)
        height = 0.10 * fbm(x * 0.4, z * 0.4, octaves, 18)
        for at_x, at_z, radius, tall in buttes:
            away = np.hypot(x - at_x, z - at_z) + 0.55 * rough
            cliff = smooth(radius * 1.06 + 0.15, radius, away) * tall * 0.62
            talus = np.clip(1 - (away - radius) / (radius * 0.5 + 1.3), 0, 1) ** 1.6
            height = np.maximum(height, cliff + talus * tall * 0.38 + 0.05 * rough)
        return height

    view = View(frame, height_at, eye=0.62, horizon=0.66, focal=1.55, near=0.8, far=90)
    light = direction(-78, 9)
    normal = view.normal(1.0)
    lit = shadow(view, light, lambda x, z: height_at(x, z, 4), 9)
    sun_light = facing(normal, light) * lit
    band = np.sin(view.y * 15 + 2 * fbm(view.x * 0.5, view.z, 3, 3)) * 0.5 + 0.5
    flutes = fbm(view.x * 7 + view.z * 3, view.y * 0.8, 4, 22)
    rock = ramp(np.clip(band * 0.7 + 0.3 * flutes, 0, 1), '#8A3D2E', '#B85A3C', '#CF7B50')
    shrub = smooth(0.15, 0.4, fbm(view.x * 6, view.z * 6, 4, 24)) * smooth(0.85, 0.97, normal[1])
    rock = mix(rock, '#B08A68', smooth(0.9, 0.99, normal[1]) * 0.6)
    rock = mix(rock, '#4E4B3A', shrub * 0.8 * np.exp(-view.z / 30))
    surface = rock * (
        sun_light[..., None] * colour('#FF9F6B') * 2.7
        + (0.22 + 0.25 * normal[1])[..., None] * colour('#8A78B8')
    )
    air = ramp(frame.x / frame.aspect, '#E8A083', '#C58A9A', '#8D7DA6')
    surface = mix(surface, air, view.haze(0.016))
    picture = sky(frame, ('#2B3A6B', '#5A5A94', '#A9759B', '#E79A86', '#FBC590'), 0, 0.68)
    picture = plane_clouds(frame, picture, 0.72, (0, 0.6), '#FFB48C', '#6C5685', 0.46, 0.5, 45)
    picture = add_light(
        picture, stars(frame, 4, 24, 0.5).mean(-1) * smooth(0.4, 0.0, frame.y), '#FFFFFF'
    )
    return bloom(_ground(picture, view, surface), 0.7, 0.04, 0.4)


def moonlit_valley(frame):
    """A river valley under the moon with mist and a few lit houses."""
    alps = _alps(11, 0.15, 3.9, 2.4, 7)

    def height_at(x, z, octaves=10):
        return np.maximum(alps(x, z, octaves), 0.30)

    view = View(frame, height_at, eye=2.0, horizon=0.52, focal=1.05, near=1.0, far=44)
    moon_at = (frame.aspect * 0.60, 0.17)
    light = direction(22, 26)
    normal = view.normal(0.9)
    lit = shadow(view, light, lambda x, z: height_at(x, z, 6), 7)
    sun_light = facing(normal, light) * lit
    patches = fbm(view.x * 1.3, view.z * 1.3, 5, 8)
    snow = smooth(0.5, 0.75, normal[1] + 0.1 * (view.y - 1.4) + 0.12 * patches)
    albedo = mix('#2C3540', '#D6DEEC', snow * smooth(0.7, 1.5, view.y + 0.4 * patches))
    surface = albedo * (
        sun_light[..., None] * colour('#BFD2FF') * 0.95
        + (0.08 + 0.12 * normal[1])[..., None] * colour('#4C69A8')
    )
    air = ramp(frame.glow(*moon_at, 0.5), '#1B2D57', '#3F5C93', '#93AEDA')
    surface = mix(surface, air, view.haze(0.03, 0.2))
    mist = (
        smooth(1.0, 0.25, view.y)
        * smooth(4, 15, view.z)
        * (0.5 + 0.9 * fbm(view.x * 0.45, view.z * 0.22, 5, 77))
    )
    surface = mix(surface, '#6C88BE', np.clip(mist, 0, 0.75))
    picture = sky(frame, ('#070D22', '#13234B', '#2C4678', '#5C7DB0'), 0, 0.55)
    picture = picture + stars(frame, 6, 52, 0.9)
    picture = moon(frame, picture, *moon_at, 0.042, strength=0.4)
    picture = streaks(frame, picture, '#7E97C6', '#243761', 31, 0.3, 0.02, 0.42, 0.04, opacity=0.6)
    picture = _ground(picture, view, surface)
    shimmer = fbm(view.x * 9, view.z * 11, 6, 15, 0.62)
    seen = mirror(frame, picture, 0.605, 0.02 * shimmer, 0.05 * shimmer * (frame.y - 0.55))
    width = 0.035 + 0.10 * np.clip(frame.y - 0.6, 0, 1)
    path = np.exp(-(((frame.x - moon_at[0] - 0.02 * shimmer) / width) ** 2))
    lake = mix(seen * 0.85, '#0C1A38', 0.25 + 0.35 * np.clip(frame.y - 0.6, 0, 1))
    lake = add_light(lake, path * smooth(-0.05, 0.55, shimmer) * 0.9, '#C4D6F6')
    river = smooth(0.322, 0.312, view.y) * view.ground
    picture = mix(picture, mix(lake, '#6C88BE', np.clip(mist * 0.8, 0, 0.6)), river)
    random = np.random.default_rng(12)
    lamps = np.zeros_like(frame.x)
    for _ in range(26):
        z = random.uniform(4.5, 11)
        x = -0.35 * z + random.normal(0, 0.7)
        height = float(height_at(np.array([x]), np.array([z]))[0])
        if height < 0.34 or height > 1.1:
            continue
        at_x, at_y = view.project(x, height + 0.03, z)
        lamps += frame.disc(at_x, at_y, 0.011 / z + frame.pixel, frame.pixel)
    picture = add_light(picture, np.clip(lamps, 0, 1) * 2.0, '#FFB45E')
    return bloom(picture, 0.55, 0.025, 0.8)


def snowfield(frame):
    """Long blue shadows of spruces on fresh snow."""

    def height_at(x, z, octaves=6):
        hills = 1.5 * smooth(5, 26, z) * (0.65 + 0.6 * fbm(x * 0.09, z * 0.09, 4, 23))
        return 0.34 * fbm(x * 0.28, z * 0.28, octaves, 25) + hills

    view = View(frame, height_at, eye=1.05, horizon=0.42, focal=1.25, near=0.7, far=60)
    light = direction(40, 13)
    nx, ny, nz = view.normal(1.5)
    near = np.exp(-view.z / 5)
    wind = view.x * 3.1 - view.z * 1.2
    nx = nx + 0.07 * near * fbm(wind, view.z * 5.0, 5, 27, 0.6)
    nz = nz + 0.04 * near * fbm(wind + 5, view.z * 5.0, 5, 28, 0.6)
    sun_light = facing((nx, ny, nz), light)
    random = np.random.default_rng(8)
    trees, spots = [], []
    for _ in range(150):
        z = 4.2 + 22 * random.uniform() ** 1.3
        x = random.uniform(-0.75, 0.75) * z * 1.2
        if (
            abs(x / z - 0.06) < 0.10
            or fbm(np.array([x * 0.22]), np.array([z * 0.22]), 3, 5)[0] < -0.08
        ):
            continue
        spots.append((z, x, random.uniform(0.55, 1.5)))
    cast = np.ones_like(frame.x)
    for z, x, tall in spots:
        dx, dz = view.x - x, view.z - z
        back = -(dx * light[0] + dz * light[2]) / np.hypot(light[0], light[2])
        side = np.abs(dx * light[2] - dz * light[0]) / np.hypot(light[0], light[2])
        length = tall / light[1] * 0.9
        wide = 0.19 * tall * np.clip(1 - back / length, 0, 1) + 0.01
        dark = smooth(1.0, 0.6, side / wide) * (back > 0) * (back < length)
        cast = np.minimum(cast, 1 - 0.92 * dark)
    surface = (sun_light * cast)[..., None] * colour('#FFE0B8') * 2.2 + (0.34 + 0.3 * ny)[
        ..., None
    ] * colour('#7FA3DC')
    surface = surface * colour('#E4EAF2')
    sparkle = (np.random.default_rng(3).random(frame.x.shape) > 0.9985) * near * cast
    surface = add_light(surface, sparkle * 0.9, '#FFFFFF')
    air = ramp(frame.x / frame.aspect, '#BFCBE4', '#E8D6D2', '#FFE2BC')
    surface = mix(surface, air, view.haze(0.022))
    picture = sky(frame, ('#5F8FCB', '#9DBDE0', '#E2DCD9', '#FFE3BF'), 0, 0.42)
    picture = sun(frame, picture, frame.aspect * 0.83, 0.16, 0.022, '#FFF6E0', '#FFD39A', 1.1)
    rough = ridged(frame.columns * 0.9, frame.columns * 0, 8, 29, 0.47)
    far = 0.43 - 0.20 * rough * (0.55 + 0.45 * np.cos(frame.columns * 2.2 - 0.4))
    gully = fbm(frame.x * 9 + 8 * (frame.y - far), frame.y * 12 - frame.x * 3, 6, 30, 0.56)
    ridge = mix('#8FA6CC', '#E6E2E6', smooth(-0.3, 0.3, gully + 0.15))
    ridge = mix(ridge, air, np.clip(0.35 + 2.2 * (frame.y - far), 0, 0.9))
    picture = mix(picture, ridge, frame.below(far))
    picture = _ground(picture, view, surface)
    for z, x, tall in sorted(spots, reverse=True):
        ground_y = float(height_at(np.array([x]), np.array([z]))[0])
        at_x, at_y = view.project(x, ground_y, z)
        size = tall * view.focal / z
        if not -0.2 < at_x < frame.aspect + 0.2:
            continue
        trees.append((z, flora.conifer(random, at_x, at_y - size * 0.02, size, 0.19)))
    for low, high in ((18, 30), (12, 18), (8, 12), (6, 8), (0, 6)):
        group = [points for z, points in trees if low <= z < high]
        mask = frame.mask(group)
        depth = (low + min(high, 26)) / 2
        rim = np.clip(mask - shifted(mask, 0, -max(1, frame.height // 500)), 0, 1)
        leaf = mix(
            '#20343A', '#D9E2EE', smooth(0.05, 0.5, fbm(frame.x * 60, frame.y * 90, 3, 14)) * 0.65
        )
        leaf = add_light(leaf, rim * 0.8, '#FFD9A6')
        picture = mix(picture, mix(leaf, air, 1 - np.exp(-depth * 0.03)), mask)
    return bloom(picture, 0.8, 0.04, 0.45)


def fields(frame):
    """Rolling hills with fields, hedges and cloud shadows."""

    def height_at(x, z, octaves=4):
        return (
            0.9 * fbm(x * 0.16 + 2, z * 0.16, octaves, 51)
            + 0.018 * z
            + 1.5 * smooth(16, 50, z) * fbm(x * 0.06, z * 0.06, 3, 52)
        )

    def wood_at(x, z):
        return smooth(
            0.13,
            0.19,
            fbm(x * 0.33, z * 0.33, 4, 60) + 0.05 * fbm(x * 5, z * 5, 2, 61),
        )

    def wooded_at(x, z):
        return height_at(x, z) + wood_at(x, z) * (0.10 + 0.06 * fbm(x * 9, z * 9, 3, 62))

    view = View(frame, wooded_at, eye=2.1, horizon=0.36, focal=1.3, near=1.6, far=70, steps=1500)
    light = direction(-55, 30)
    normal = view.normal(1.5)
    u = view.x * 0.5 + 0.25 * fbm(view.x * 0.2, view.z * 0.2, 3, 55)
    v = view.z * 0.36 + 0.25 * fbm(view.x * 0.2, view.z * 0.2, 3, 56)
    nearest, second, identity = cells(u, v, 57, 0.75)
    kind = ((identity * 2654435 % 1009) / 1009).astype(np.float32)
    crop = ramp(kind, '#6E8F3C', '#8FA84A', '#C9B65A', '#D8C878', '#5F7F3E', '#9DB55C', '#7A5F42')
    turn = kind * 6.28
    furrow = np.sin((view.x * np.cos(turn) + view.z * np.sin(turn)) * 70)
    crop = (
        crop
        * (1 + 0.11 * furrow * np.exp(-view.z / 5) + 0.16 * fbm(view.x * 12, view.z * 12, 4, 50))[
            ..., None
        ]
    )
    crop = crop * (1 + 0.22 * fbm(view.x * 1.5, view.z * 1.5, 5, 58))[..., None]
    edge = second - nearest
    hedge = smooth(0.055, 0.03, edge + 0.02 * fbm(view.x * 6, view.z * 6, 3, 59))
    wood = smooth(0.0, 0.1, wood_at(view.x, view.z))
    bushes = 0.6 + 0.8 * fbm(view.x * 9, view.z * 9, 3, 62)
    green = mix('#1E3320', '#46622C', np.clip(bushes, 0, 1))
    crop = mix(crop, green, np.maximum(hedge, wood))
    clouds = smooth(-0.12, 0.22, fbm(view.x * 0.11 + 3, view.z * 0.09, 4, 63))
    sun_light = facing(normal, light) * (0.25 + 0.75 * clouds)
    surface = crop * (
        sun_light[..., None] * colour('#FFF0CC') * 2.9
        + (0.20 + 0.2 * normal[1])[..., None] * colour('#A9C3E8')
    )
    air = ramp(frame.x / frame.aspect, '#E6E4D4', '#C5D6E4', '#AFC8E2')
    surface = mix(surface, air, view.haze(0.021))
    picture = sky(frame, ('#4E8CCB', '#86B4DE', '#C6DCEA', '#EDEBDD'), 0, 0.36)
    picture = plane_clouds(frame, picture, 0.37, (0.1, 0.05), '#FFFDF6', '#A9B8CC', 0.70, 0.6, 66)
    return bloom(_ground(picture, view, surface), 0.8, 0.03, 0.3)


def volcano(frame):
    """A volcano at night that glows from its crater."""

    def height_at(x, z, octaves=8):
        away = np.hypot(x - 0.6, z - 14) + 0.35 * fbm(x * 0.5, z * 0.5, 4, 81)
        cone = 5.2 * np.exp(-np.clip(away - 0.55, 0, None) * 0.40)
        gullies = (
            0.20
            * ridged(np.arctan2(z - 14, x - 0.6) * 3.2, away * 0.3, 4, 82)
            * smooth(0.6, 3, away)
            * np.exp(-away * 0.15)
        )
        crater = 0.9 * smooth(0.65, 0.1, away)
        ground = 0.25 * fbm(x * 0.4, z * 0.4, octaves, 83) * smooth(1, 5, away)
        return cone - crater - gullies + ground - 0.2

    view = View(frame, height_at, eye=1.0, horizon=0.80, focal=1.5, near=1.5, far=60)
    normal = view.normal(1.0)
    peak_x, peak_y = view.project(0.6, 4.75, 14)
    away = np.hypot(view.x - 0.6, view.z - 14)
    around = np.arctan2(view.z - 14, view.x - 0.6)
    flow = np.abs(
        perlin(around * 4.2 + 0.30 * fbm(view.x * 1.2, view.y * 1.2, 4, 84), away * 0.07, 85)
    )
    lava = smooth(0.085, 0.0, flow) * np.exp(-away * 0.5) * smooth(5.4, 3.9, away)
    lava = lava * smooth(-0.2, 0.3, fbm(view.x * 4, view.y * 4, 4, 86) + 0.25)
    moonlight = facing(normal, direction(-60, 35))
    rock = mix('#20222C', '#393744', np.clip(0.5 + fbm(view.x * 3, view.z * 3, 5, 87), 0, 1))
    surface = rock * (moonlight[..., None] * colour('#9FB4E6') * 1.3 + 0.25 * colour('#5C6A9C'))
    warm = np.exp(-away * 0.75)
    surface = add_light(surface, warm * 0.10, '#FF6A2A')
    surface = mix(surface, colour('#FF7A2A') * 1.5, np.clip(lava * 1.4, 0, 1))
    surface = add_light(surface, blur(lava, frame.height * 0.012) * 0.5, '#FF4A14')
    surface = mix(surface, '#2F3A62', view.haze(0.018))
    picture = sky(frame, ('#0A0F24', '#17224A', '#37406F', '#6B5878', '#A4685F'), 0, 0.86)
    picture = picture + stars(frame, 16, 56, 0.8) * smooth(0.8, 0.2, frame.y)[..., None]
    rise = np.clip(peak_y - frame.y, 0, 1)
    drift = peak_x + 0.55 * rise**1.4
    spread = 0.055 + 0.46 * rise
    across = (frame.x - drift) / spread
    puff = billow(frame.x * 6 - rise * 2, frame.y * 6 + rise, 6, 88, 0.55)
    body = np.exp(-(across**2) * 1.2) * smooth(-0.01, 0.03, rise)
    density = smooth(0.30, 0.66, body * (0.25 + puff)) * smooth(0.75, 0.25, rise)
    lit = np.exp(-rise * 5.0) * np.clip(1.15 - 0.55 * across**2, 0.1, 1)
    relief = np.clip(
        0.5
        + 3.2
        * (
            puff
            - billow((frame.x + 0.012) * 6 - rise * 2, (frame.y + 0.02) * 6 + rise, 6, 88, 0.55)
        ),
        0,
        1,
    )
    smoke = ramp(
        np.clip(lit * (0.55 + 0.6 * relief), 0, 1), '#2E365C', '#6A5068', '#B85A40', '#FF9A4A'
    )
    smoke = smoke * (0.75 + 0.5 * relief)[..., None]
    picture = mix(picture, smoke, density * 0.95)
    picture = add_light(picture, 0.5 * frame.glow(peak_x, peak_y, 0.12, 2), '#FF6A2E')
    picture = _ground(picture, view, surface)
    random = np.random.default_rng(89)
    sparks = []
    for _ in range(90):
        angle, reach = random.normal(-np.pi / 2, 0.38), random.gamma(2, 0.03)
        at = peak_x + reach * np.cos(angle), peak_y + reach * np.sin(angle) + 0.01
        sparks.append((*at, random.uniform(0.0006, 0.0018)))
    picture = add_light(picture, frame.mask(discs=sparks) * 1.8, '#FF9A4A')
    line = 0.955 + 0.03 * fbm(frame.columns * 2.0, frame.columns * 0, 4, 90)
    picture = mix(picture, '#070A14', frame.below(line))
    trees = flora.forest(
        random,
        -0.1,
        frame.aspect + 0.1,
        lambda x: float(np.interp(x, frame.columns, line)),
        0.022,
        0.075,
        0.5,
    )
    picture = mix(picture, '#070A14', frame.mask(trees))
    return bloom(picture, 0.5, 0.03, 0.9)


def blue_ridges(frame):
    """A wide row of ridges that fade into morning haze."""
    picture = sky(frame, ('#6E8FC2', '#A9BCD8', '#E6D5CB', '#FFE0B4'), 0, 0.62)
    sun_x, sun_y = frame.aspect * 0.68, 0.30
    picture = streaks(frame, picture, '#FFEBCF', '#C9BACB', 93, 0.42, 0.0, 0.42, 0.02, 0.9)
    picture = sun(frame, picture, sun_x, sun_y, 0.035, '#FFF4D6', '#FFC98F', 0.9)
    layers = 9
    for layer in range(layers):
        t = layer / (layers - 1)
        scale = 0.9 + 1.3 * t
        rough = ridged(
            frame.columns * scale + layer * 7.7, frame.columns * 0 + layer, 7, 95 + layer, 0.47
        )
        line = (
            0.44
            + 0.51 * t**1.15
            - (0.24 - 0.06 * t) * rough
            + 0.06 * fbm(frame.columns * 0.6, frame.columns * 0 + layer * 3.0, 3, 120 + layer)
        )
        tint = ramp(
            np.full(1, t), '#C9BFCF', '#A3A9CB', '#6F83B0', '#405A88', '#22385C', '#101F36'
        )[0]
        depth = np.clip((frame.y - line) / 0.30, 0, 1)
        glow = frame.glow(sun_x, sun_y + 0.1, 0.75, 2) * (1 - t) ** 1.2
        veil = mix(
            ramp(glow, '#A9B4D2', '#F1D2BE', '#FFDDAE'), '#3F5C8A', np.full_like(glow, t**1.5)
        )
        mist = mix(tint, veil, depth**0.8 * (0.72 - 0.45 * t))
        facets = fbm(frame.x * 9 + frame.y * 5, frame.y * 13 - frame.x * 4, 5, 140 + layer)
        mist = mist * (1 + (0.05 + 0.15 * t) * facets * (1 - depth * 0.8))[..., None]
        rim = np.exp(-np.clip(frame.y - line, 0, 1) / 0.010) * glow
        mist = add_light(mist, 0.22 * rim, '#FFD9A0')
        picture = mix(picture, mist, frame.below(line))
        if layer >= layers - 3:
            random = np.random.default_rng(160 + layer)
            size = (0.018, 0.035, 0.075)[layer - layers + 3]
            trees = flora.forest(
                random,
                -0.1,
                frame.aspect + 0.1,
                lambda x, line=line: float(np.interp(x, frame.columns, line)),
                size * 0.38,
                size,
                0.55,
                0.17,
            )
            picture = mix(picture, tint, frame.mask(trees))
    return bloom(picture, 0.75, 0.05, 0.5)


def night_ridge(frame):
    """The milky way over a ridge with a small lit tent."""
    picture = sky(frame, ('#050816', '#0A1430', '#16264C', '#2F4468', '#7C7268'), 0, 0.93)
    light, crowd = milky_way(frame, (frame.aspect * 0.55, 0.36), -62)
    picture = picture + light * 1.25 + stars(frame, 15, 95, 1.15, crowd)
    picture = add_light(picture, 0.16 * smooth(0.5, 0.82, frame.y), '#5FA08A')
    for layer, (base, tint, seed) in enumerate(
        ((0.83, '#2A3B5C', 171), (0.88, '#17233F', 174), (0.95, '#080E1C', 173))
    ):
        rough = ridged(
            frame.columns * (1.5 + layer * 0.7) + layer * 4.0, frame.columns * 0, 8, seed, 0.46
        )
        line = base - 0.16 * rough + 0.05
        texture = fbm(frame.x * 18, frame.y * 26, 5, seed + 9)
        body = colour(tint) * (1 + 0.35 * texture)[..., None]
        body = mix(body, '#41567C', np.clip((frame.y - line) / 0.2, 0, 1) * (0.5 - 0.22 * layer))
        picture = mix(picture, body, frame.below(line))
    x = frame.aspect * 0.36
    y = float(np.interp(x, frame.columns, line)) + 0.004
    tent = frame.mask(
        [[(x - 0.026, y), (x - 0.004, y - 0.028), (x + 0.004, y - 0.028), (x + 0.03, y)]]
    )
    lamp = ramp(frame.glow(x, y - 0.006, 0.014, 2), '#B5602A', '#FFB45A', '#FFE9B8')
    picture = mix(picture, lamp * 1.3, tent)
    door = frame.mask([[(x - 0.004, y), (x, y - 0.026), (x + 0.005, y)]])
    picture = mix(picture, '#7A3C1C', door * 0.7)
    picture = add_light(picture, 0.16 * frame.glow(x, y, 0.03, 2.2), '#FF9E4A')
    return bloom(picture, 0.5, 0.02, 0.7)


def grey_peak(frame):
    """A steep peak between clouds, in black and white."""

    def height_at(x, z, octaves=10):
        away = np.hypot((x + 0.5) * 0.9, z - 11)
        peak = 3.9 * np.exp(-((away / 3.1) ** 1.3))
        return eroded(x * 0.24 + 9, z * 0.24, octaves, 7) * (1.0 + peak * 0.62) + peak * 0.75 - 0.6

    view = View(frame, height_at, eye=2.6, horizon=0.62, focal=1.5, near=1.5, far=40)
    light = direction(62, 26)
    normal = view.normal(0.8)
    sun_light = facing(normal, light) * shadow(view, light, lambda x, z: height_at(x, z, 7), 6)
    patches = fbm(view.x * 2, view.z * 2, 5, 8)
    snow = smooth(0.46, 0.66, normal[1] + 0.1 * patches)
    albedo = mix('#3A3A3A', '#F0F0F0', snow)
    surface = albedo * (sun_light * 2.1 + 0.10 + 0.10 * normal[1])[..., None]
    surface = mix(surface, '#9C9C9C', view.haze(0.02, 0.2))
    cloud = billow(view.x * 0.55 + 0.4 * patches, view.z * 0.4, 6, 78)
    sea = smooth(2.3, 0.9, view.y + 1.1 * (0.6 - cloud)) * smooth(3, 7, view.z)
    surface = mix(
        surface, mix('#707070', '#EDEDED', smooth(0.45, 0.85, cloud)), np.clip(sea, 0, 0.96)
    )
    picture = sky(frame, ('#1C1C1C', '#3A3A3A', '#8A8A8A', '#C8C8C8'), 0, 0.66)
    picture = plane_clouds(
        frame, picture, 0.72, (frame.aspect, 0.3), '#F2F2F2', '#5A5A5A', 0.50, 0.55, 47
    )
    picture = _ground(picture, view, surface)
    picture = bloom(picture, 0.8, 0.03, 0.4)
    return np.repeat(picture.mean(-1, keepdims=True), 3, -1)
