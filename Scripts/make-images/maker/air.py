"""The contents of the sky: gradients, suns, moons, stars and clouds."""

import numpy as np

from .canvas import add_light, blur, colour, mix, ramp, smooth
from .noise import billow, cells, fbm


def sky(frame, stops, top=0.0, bottom=1.0):
    """A vertical gradient from top to bottom."""
    return ramp((frame.y - top) / (bottom - top), *stops)


def sun(frame, picture, x, y, radius, tint, halo='#FFB070', strength=1.0):
    """A glowing sun with a wide halo."""
    wide = frame.glow(x, y, radius * 5, 1.7)
    close = frame.glow(x, y, radius * 1.6, 3)
    picture = add_light(picture, strength * (0.35 * wide + 0.35 * close), halo)
    return mix(picture, colour(tint) * 1.6, frame.disc(x, y, radius, radius * 0.12))


def stars(frame, seed=5, density=60.0, brightness=1.0, band=None):
    """Light of a star field, tinted from warm to cool.

    `band` may weight the number of stars from place to place, 0...1.
    """
    light = np.zeros((frame.height, frame.width, 3), np.float32)
    for layer, (share, power) in enumerate(((1.0, 0.20), (0.22, 0.55), (0.014, 1.7))):
        random = np.random.default_rng(seed + layer)
        count = int(density * density * share * frame.aspect)
        x = random.uniform(0, frame.aspect, count)
        y = random.uniform(0, 1, count)
        keep = random.uniform(0, 1, count)
        shine = power * random.uniform(0.25, 1, count) ** 2
        warmth = random.uniform(0, 1, count)
        columns = (x / frame.pixel).astype(int).clip(0, frame.width - 1)
        rows = (y / frame.pixel).astype(int).clip(0, frame.height - 1)
        if band is not None:
            chosen = keep < 0.25 + 0.75 * band[rows, columns]
            columns, rows = columns[chosen], rows[chosen]
            shine, warmth = shine[chosen], warmth[chosen]
        tint = ramp(warmth, '#FFD2A6', '#FFFFFF', '#B8D0FF')
        points = np.zeros_like(light)
        np.add.at(points, (rows, columns), shine[:, None] * tint)
        sigma = (0.00050 + 0.00022 * layer) / frame.pixel
        light += blur(points, sigma) * 2 * np.pi * max(sigma, 0.4) ** 2
        if layer == 2:
            light += blur(points, sigma * 5) * 2 * np.pi * (sigma * 5) ** 2 * 0.025
    return np.clip(light, 0, None) * brightness


def milky_way(frame, centre, angle, seed=9, width=0.17):
    """Return the milky way's light and a mask that concentrates stars along it."""
    turn = np.radians(np.float32(angle))
    dx, dy = frame.x - centre[0], frame.y - centre[1]
    along = dx * np.cos(turn) + dy * np.sin(turn)
    across = -dx * np.sin(turn) + dy * np.cos(turn)
    across = across + 0.07 * fbm(frame.x * 2.2, frame.y * 2.2, 5, seed)
    cloud = 0.5 + 1.3 * fbm(frame.x * 3.5, frame.y * 3.5, 9, seed + 1, 0.66)
    band = np.exp(-((across / width) ** 2))
    core = np.exp(-((across / (width * 0.45)) ** 2)) * np.exp(-((along / 0.5) ** 2))
    lane = 0.05 * fbm(along * 2.5, along * 0, 4, seed + 3)
    dust = smooth(
        0.0,
        0.42,
        fbm(along * 3.2, across * 6.5, 9, seed + 2, 0.66)
        + 0.40 * np.exp(-(((across - lane) / (width * 0.22)) ** 2))
        - 0.08,
    )
    dust = dust * np.exp(-((across / (width * 0.75)) ** 2))
    specks = np.random.default_rng(seed).random(frame.x.shape, np.float32) ** 40
    glow = band * np.clip(cloud, 0, 1.4) * 0.20 + core * np.clip(cloud, 0.2, 1.4) * 0.34
    glow = glow * (1 - 0.88 * dust) * (0.86 + 2.4 * specks)
    tint = ramp(
        np.clip(core * 1.3 + 0.25 * (cloud - 0.5), 0, 1),
        '#6C86C8',
        '#A79CC9',
        '#F0C6A8',
        '#FFE4C0',
    )
    return glow[..., None] * tint, np.clip(band * (1 - 0.7 * dust), 0, 1)


def moon(frame, picture, x, y, radius, tint='#F6F1DF', halo='#8FA8D8', strength=0.5, seed=3):
    """A full moon with grey plains and a cool halo."""
    picture = add_light(picture, strength * frame.glow(x, y, radius * 3.5, 2), halo)
    u, v = (frame.x - x) / radius, (frame.y - y) / radius
    face = 0.80 + 0.28 * fbm(u * 1.1 + 4, v * 1.1, 5, seed) + 0.05 * fbm(u * 7, v * 7, 3, seed + 1)
    shade = np.sqrt(np.clip(1 - 0.55 * (u * u + v * v), 0.2, 1))
    disc = np.clip(face * shade, 0.3, 1.1)[..., None] * colour(tint) * 1.25
    return mix(picture, disc, frame.disc(x, y, radius))


def crater_field(x, y, seed, scale):
    """Heights of craters scattered over a plane."""
    nearest, _, identity = cells(x * scale, y * scale, seed)
    size = 0.18 + 0.24 * ((identity * 7919) % 97) / 97
    rim = nearest / size
    bowl = np.clip(rim, 0, 1) ** 2 - 1
    wall = np.exp(-(((rim - 1) / 0.25) ** 2))
    return np.where(rim < 1, bowl * 0.7, 0) + wall * 0.5


def plane_clouds(
    frame,
    picture,
    horizon,
    light_at,
    lit,
    shade,
    cover=0.5,
    scale=1.0,
    seed=11,
    opacity=0.9,
    stretch=0.45,
):
    """A ceiling of clouds in perspective, lit from a point in the picture."""
    rise = np.clip(horizon - frame.y, 0.004, None) + 0.05
    u = (frame.x - frame.aspect / 2) / rise * scale * stretch
    v = scale / rise * 0.55
    warp = fbm(u * 0.7, v * 0.7, 3, seed + 5)

    def thickness(at_u, at_v):
        return 0.72 * billow(at_u + warp * 0.5, at_v, 6, seed, 0.52) + 0.42 * fbm(
            at_u * 0.6, at_v * 0.6, 3, seed + 1
        )

    here = thickness(u, v)
    toward = np.tanh((light_at[0] - frame.x) * 4) * 0.08
    lighting = np.clip(0.55 + 4.0 * (here - thickness(u + toward, v - 0.16)), 0, 1)
    near_sun = frame.glow(light_at[0], light_at[1], 0.45, 2)
    density = smooth(0.66 - cover * 0.34, 0.98 - cover * 0.34, here)
    fade = smooth(0.0, 0.14, horizon - frame.y)
    tone = np.clip(lighting * (0.45 + 0.75 * near_sun) + 0.25 * (1 - density), 0, 1)
    cloud = mix(shade, lit, tone)
    return mix(picture, cloud, density * fade * opacity)


def streaks(
    frame,
    picture,
    lit,
    shade,
    seed=21,
    cover=0.5,
    top=0.0,
    bottom=0.6,
    tilt=0.05,
    length=1.1,
    opacity=0.8,
):
    """Thin high clouds drawn out sideways."""
    u = frame.x * length
    v = (frame.y + tilt * frame.x) * 7 * length
    warp = fbm(u * 1.2, v * 0.5, 4, seed + 2)
    body = fbm(u + warp * 0.5, v + warp * 1.0, 7, seed, 0.55)
    density = smooth(0.28 - cover * 0.55, 0.75 - cover * 0.3, body)
    window = smooth(top - 0.05, top + 0.12, frame.y) * (1 - smooth(bottom - 0.25, bottom, frame.y))
    tone = smooth(-0.2, 0.4, fbm(u + 0.1, v + 0.55, 5, seed, 0.5))
    return mix(picture, mix(lit, shade, tone), density * window * opacity)
