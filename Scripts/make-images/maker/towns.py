"""Cities, rain on a window and balloons."""

import numpy as np

from .air import plane_clouds, sky, stars, streaks, sun
from .canvas import add_light, bloom, blur, colour, mix, ramp, smooth
from .flora import conifer
from .noise import fbm, ridged
from .terrain import View, direction, facing, shadow
from .waters import water

WARM_LIGHTS = ('#FFC372', '#FFE0A8', '#FFB05A', '#F4EAD0', '#CFE0FF')


def _tower(frame, picture, random, left, right, top, bottom, tint, lit, glow_tint):
    """Paint one building with windows into the picture."""
    unit = frame.height
    x0, x1 = max(int(left * unit), 0), min(int(right * unit), frame.width)
    y0, y1 = max(int(top * unit), 0), min(int(bottom * unit), frame.height)
    if x1 - x0 < 3 or y1 - y0 < 3:
        return
    x, y = frame.x[y0:y1, x0:x1], frame.y[y0:y1, x0:x1]
    floor_height = random.uniform(0.0085, 0.0115)
    bay = floor_height * random.choice([0.55, 0.75, 1.1])
    column, row = (x - left) / bay, (y - top) / floor_height
    count = int((right - left) / bay) + 2, int((bottom - top) / floor_height) + 2
    lights = random.uniform(0, 1, (count[1], count[0]))
    whole = random.uniform(0, 1, (count[1], 1)) < 0.12
    lights = np.where(whole, lights * 0.35, lights)
    on = (lights < lit)[row.astype(int), column.astype(int)]
    power = random.uniform(0.35, 1.0, lights.shape)[row.astype(int), column.astype(int)]
    soft = frame.pixel / bay
    inside = (
        smooth(0.16 - soft, 0.16 + soft, column % 1)
        * smooth(0.84 + soft, 0.84 - soft, column % 1)
        * smooth(0.28 - soft, 0.28 + soft, row % 1)
        * smooth(0.82 + soft, 0.82 - soft, row % 1)
    )
    inside = inside * (column > 0.5) * (column < count[0] - 2.4) * (row > 1)
    body = mix(tint, glow_tint, smooth(top + 0.30, bottom, y) * 0.45)
    side = smooth(left, right, x)
    body = body * (0.80 + 0.35 * side)[..., None]
    body = body * (1 - 0.35 * inside * (1 - on))[..., None]
    warm = colour(random.choice(WARM_LIGHTS))
    glow = (inside * on * power)[..., None] * warm * 1.5
    picture[y0:y1, x0:x1] = body * (1 - (inside * on)[..., None]) + glow


def city(frame):
    """A river city at blue hour."""
    horizon = 0.72
    picture = sky(frame, ('#14224C', '#33508A', '#7A86B0', '#D7A298', '#FFC285'), 0, 0.74)
    picture = streaks(frame, picture, '#F0B39A', '#4A5890', 711, 0.46, 0.05, 0.62, 0.03, 0.85)
    picture = add_light(picture, 0.45 * frame.glow(frame.aspect * 0.40, 0.72, 0.45, 2), '#FF9A58')
    picture = picture + stars(frame, 712, 24, 0.5) * smooth(0.35, 0.0, frame.y)[..., None]
    random = np.random.default_rng(713)
    tallest = frame.aspect * 0.62
    layers = (
        ('#7F7F9E', 0.08, 0.30, 0.020, 0.10),
        ('#4E5A82', 0.10, 0.42, 0.028, 0.22),
        ('#2A3760', 0.07, 0.40, 0.036, 0.34),
        ('#131C3A', 0.04, 0.20, 0.044, 0.46),
    )
    for layer, (tint, low, high, wide, lit) in enumerate(layers):
        x, masts = -0.05, []
        while x < frame.aspect + 0.05:
            w = wide * random.uniform(0.6, 1.5)
            hump = np.exp(-(((x - tallest) / 0.40) ** 2)) + 0.55 * np.exp(
                -(((x - frame.aspect * 0.24) / 0.22) ** 2)
            )
            tall = low + (high - low) * (0.18 + 0.82 * hump) * random.uniform(0.45, 1.0)
            parts = [(x, x + w, horizon - tall)]
            style = random.uniform()
            if style < 0.35 and tall > 0.12:
                parts.append((x + w * 0.2, x + w * 0.8, horizon - tall - 0.025))
            if style < 0.16 and tall > 0.2:
                parts.append((x + w * 0.36, x + w * 0.64, horizon - tall - 0.05))
            for left, right, top in parts[::-1]:
                _tower(
                    frame,
                    picture,
                    random,
                    left,
                    right,
                    top,
                    horizon,
                    tint,
                    lit,
                    '#C9907E' if layer < 2 else '#5A4A6A',
                )
            if style < 0.16 and tall > 0.2:
                masts.append(
                    (
                        [(x + w / 2, horizon - tall - 0.13), (x + w / 2, horizon - tall - 0.04)],
                        0.0016,
                    )
                )
            x += w * random.uniform(0.85, 1.25)
        picture = mix(picture, tint, frame.mask(lines=masts))
        beacons = frame.mask(discs=[(*line[0], 0.0020) for line, _ in masts])
        picture = add_light(picture, beacons * 2.2, '#FF4A3A')
        if layer < 3:
            haze = smooth(horizon - 0.34, horizon, frame.y) * (0.34, 0.24, 0.14)[layer]
            picture = mix(picture, '#E0A48C', haze)
    quay = frame.below(np.full(frame.width, horizon - 0.012))
    picture = mix(picture, '#10162C', quay)
    lamps = [(x, horizon - 0.020, 0.0022) for x in np.arange(0.02, frame.aspect, 0.043)]
    posts = frame.mask(discs=lamps)
    picture = add_light(picture, posts * 2.5, '#FFD08A')
    picture = add_light(picture, blur(posts, frame.height * 0.006) * 1.6, '#FFB060')
    picture, _, _ = water(frame, picture, horizon, '#0B1430', 72, 0.040, 0.26, 1.0, 0.55)
    return bloom(picture, 0.6, 0.012, 0.9)


def rain_window(frame):
    """Raindrops on a window before the lights of a street."""
    picture = ramp(frame.y, '#131A33', '#25284A', '#4A3550', '#3A2A3C', '#15182A')
    random = np.random.default_rng(721)
    tints = ('#FFB35E', '#FFD79A', '#FF6E4E', '#7FB8FF', '#5FD0B0', '#FF9AA8', '#FFE8C8')
    for _ in range(80):
        x = random.uniform(-0.05, frame.aspect + 0.05)
        y = np.clip(random.normal(0.55, 0.19), 0.05, 0.97)
        radius = random.uniform(0.018, 0.055) * (1.3 - 0.4 * y)
        distance = np.hypot(frame.x - x, frame.y - y) / radius
        disc = smooth(1.03, 0.95, distance) * (0.62 + 0.45 * smooth(0.6, 1.0, distance))
        power = random.uniform(0.15, 0.95) * (0.5 if y < 0.35 else 1)
        picture = add_light(picture, disc * power, random.choice(tints))
    street = blur(picture, frame.height * 0.005)
    fogged = blur(picture, frame.height * 0.010)
    clear = np.zeros_like(frame.x)
    tracks = []
    for _ in range(13):
        x = random.uniform(0.02, frame.aspect - 0.02)
        y0, y1 = random.uniform(-0.1, 0.35), random.uniform(0.45, 1.02)
        rows = np.linspace(y0, y1, 30)
        wander = x + 0.010 * np.cumsum(random.normal(0, 0.35, 30))
        tracks.append((wander[-1], y1))
        clear = np.maximum(
            clear, frame.mask(lines=[(list(zip(wander, rows)), random.uniform(0.008, 0.014))])
        )
    clear = blur(clear, frame.height * 0.0012)
    picture = mix(
        mix(fogged, '#8A88A8', 0.04 + 0.02 * fbm(frame.x * 5, frame.y * 5, 4, 722)),
        street * 0.92,
        clear * 0.85,
    )
    drops = [(x, y, random.uniform(0.011, 0.016), 1.45) for x, y in tracks]
    for count, low, high in ((1500, 0.0012, 0.0034), (260, 0.0035, 0.0075), (85, 0.008, 0.0165)):
        for _ in range(count):
            drops.append(
                (
                    random.uniform(0, frame.aspect),
                    random.uniform(0, 1),
                    random.uniform(low, high),
                    random.uniform(0.95, 1.25),
                )
            )
    unit = frame.height
    for x, y, radius, tall in drops:
        reach = radius * 1.5
        x0, x1 = int(max((x - reach) * unit, 0)), int(min((x + reach) * unit + 1, frame.width))
        y0, y1 = int(max((y - reach * tall) * unit, 0)), int(
            min((y + reach * tall) * unit + 1, frame.height)
        )
        if x1 - x0 < 2 or y1 - y0 < 2:
            continue
        u = (frame.x[y0:y1, x0:x1] - x) / radius
        v = (frame.y[y0:y1, x0:x1] - y) / (radius * tall)
        wobble = (
            1
            + 0.10 * np.sin(np.arctan2(v, u) * 2 + x * 90)
            + 0.06 * np.sin(np.arctan2(v, u) * 3 + y * 70)
        )
        distance = np.hypot(u, v) / wobble
        mask = np.clip((1 - distance) * radius / frame.pixel + 0.5, 0, 1)
        bend = 0.09 + 0.55 * distance**2
        columns = np.clip((x - u * bend * 0.45) * unit, 0, frame.width - 1).astype(int)
        rows = np.clip((y - v * bend * 0.62) * unit, 0, frame.height - 1).astype(int)
        lens = street[rows, columns]
        rim = smooth(0.45, 1.0, distance)
        light = 1.25 - 0.95 * rim * np.clip(0.55 - 0.65 * v, 0, 1)
        lens = lens * light[..., None] + 0.05 * colour('#AEB8E0')
        lens = add_light(lens, 0.30 * rim * smooth(0.1, 0.9, v), '#FFD9B0')
        spot = np.exp(-((u + 0.34) ** 2 + (v + 0.40) ** 2) / 0.022)
        lens = add_light(lens, 0.85 * spot * min(1, radius / 0.005), '#FFFFFF')
        part = picture[y0:y1, x0:x1]
        picture[y0:y1, x0:x1] = mix(part, lens, mask)
    return bloom(picture, 0.6, 0.02, 0.5)


def balloon(frame, x, y, size, tints, light=(-0.6, 0.35), gores=12, turn=0.3):
    """Colour and mask of a hot-air balloon; size is the envelope's radius."""
    u, v = (frame.x - x) / size, (frame.y - y) / size
    low = np.clip(v, 0, 1.45) / 1.45
    profile = np.where(
        v < 0,
        np.sqrt(np.clip(1 - v * v, 0, 1)),
        np.clip(np.clip(np.cos(low * np.pi / 2), 0, 1) ** 0.80 * 0.84 + 0.16 * (1 - low), 0.0, 1),
    )
    profile = np.where(v > 1.36, 0, profile)
    inside = (
        np.clip((profile - np.abs(u)) * size / frame.pixel + 0.5, 0, 1) * (v > -1.0) * (v < 1.36)
    )
    across = np.clip(u / np.maximum(profile, 1e-3), -1, 1)
    longitude = np.arcsin(across) + turn
    panel = longitude / np.pi * gores
    index = np.floor(panel).astype(int)
    painted = np.stack([colour(t) for t in tints])[index % len(tints)]
    belt = smooth(0.30, 0.32, v) * smooth(0.60, 0.58, v)
    zigzag = np.abs(panel % 1 - 0.5) * 0.5
    crown = smooth(-0.62, -0.64, v + zigzag * 0.5)
    painted = mix(painted, tints[-1], belt)
    painted = mix(painted, tints[0], crown)
    seam = np.exp(-(((np.minimum(panel % 1, 1 - panel % 1)) / 0.05) ** 2))
    bulge = 1 - 0.10 * seam + 0.06 * np.cos((panel % 1 - 0.5) * np.pi)
    frontal = np.sqrt(np.clip(1 - across**2, 0, 1))
    lit = np.clip(0.30 + 0.60 * (across * light[0] - v * light[1] + frontal * 0.62), 0.0, 1.3)
    shade = lit[..., None] * colour('#FFF1DC') * 1.05 + (0.17 * (1.2 - lit))[..., None] * colour(
        '#7C86C8'
    )
    body = painted * bulge[..., None] * shade
    body = add_light(
        body,
        0.20 * np.exp(-((across - light[0] * 0.72) ** 2 / 0.05 + (v + 0.42) ** 2 / 0.20)),
        '#FFF6E0',
    )
    body = add_light(body, 0.30 * smooth(0.7, 1.4, v), '#FFA24A')
    basket_top, basket_low, half = y + size * 1.66, y + size * 1.94, size * 0.15
    basket = frame.mask(
        [
            [
                (x - half, basket_top),
                (x + half, basket_top),
                (x + half * 0.86, basket_low),
                (x - half * 0.86, basket_low),
            ]
        ]
    )
    ropes = frame.mask(
        lines=[
            (
                [(x + s * size * 0.17, y + size * 1.34), (x + s * half * 0.9, basket_top)],
                size * 0.016,
            )
            for s in (-1, -0.35, 0.35, 1)
        ]
    )
    weave = 0.75 + 0.25 * np.sign(np.sin(frame.x / size * 110) * np.sin(frame.y / size * 90))
    wicker = mix('#9C6B3C', '#4E321F', smooth(x - half, x + half, frame.x)) * weave[..., None]
    wicker = mix(
        wicker, '#3B2416', smooth(basket_top + size * 0.045, basket_top + size * 0.035, frame.y)
    )
    result = mix(np.zeros_like(body) + colour('#4A3A34'), body, inside)
    result = mix(result, wicker, basket)
    return result, np.maximum(np.maximum(inside, basket), ropes * 0.9)


def _misty_hills(frame, picture, sun_x, sun_y):
    """Wooded hills with mist in their valleys, low sun on the left."""

    def height_at(x, z, octaves=6):
        return (
            1.25 * fbm(x * 0.16 + 4, z * 0.15, octaves, 741, 0.40)
            + 1.1 * smooth(14, 46, z) * (0.5 + fbm(x * 0.05, z * 0.05, 4, 742))
            - 0.4
        )

    def wooded_at(x, z):
        woods = smooth(
            0.0, 0.10, fbm(x * 0.30, z * 0.30, 4, 743) + 0.05 * fbm(x * 4, z * 4, 2, 744)
        )
        return height_at(x, z) + woods * (0.10 + 0.07 * fbm(x * 7, z * 7, 3, 745))

    view = View(frame, wooded_at, eye=2.35, horizon=0.60, focal=1.35, near=2.6, far=70, steps=1500)
    light = direction(-62, 20)
    normal = view.normal(1.3)
    lit = shadow(view, light, height_at, 6, 60)
    sun_light = facing(normal, light) * lit
    woods = smooth(
        0.02,
        0.08,
        fbm(view.x * 0.30, view.z * 0.30, 4, 743) + 0.05 * fbm(view.x * 4, view.z * 4, 2, 744),
    )
    meadow = ramp(
        0.5 + 0.8 * fbm(view.x * 0.5, view.z * 0.5, 5, 746), '#5F7A3A', '#8A9A48', '#B3A85A'
    )
    canopy = mix('#1F3524', '#4F6430', smooth(-0.3, 0.4, fbm(view.x * 8, view.z * 8, 3, 747)))
    surface = mix(meadow, canopy, woods) * (
        sun_light[..., None] * colour('#FFD9A6') * 2.6
        + (0.22 + 0.22 * normal[1])[..., None] * colour('#9FB2DC')
    )
    air = mix('#C7C3D6', '#FFD7AC', frame.glow(sun_x, sun_y + 0.05, 0.65, 2))
    surface = mix(surface, air, view.haze(0.032))
    drift = fbm(view.x * 0.35, view.z * 0.22, 5, 748)
    mist = smooth(0.05, -0.62, view.y - 0.010 * view.z - 0.35 * drift) * smooth(3, 9, view.z)
    surface = mix(surface, mix('#E9DAD6', '#FFE2BE', frame.glow(sun_x, sun_y, 0.6, 2)), mist * 0.9)
    return np.where(view.ground[..., None], surface, picture)


def balloons(frame):
    """Hot-air balloons above misty hills at sunrise."""
    at_x, at_y = frame.aspect * 0.14, 0.50
    picture = sky(frame, ('#5C8CC4', '#9DB8DA', '#EBCFC4', '#FFDDB0'), 0, 0.66)
    picture = streaks(frame, picture, '#FFF0E0', '#B9AFCB', 731, 0.44, 0.0, 0.50, 0.05, 0.95)
    picture = sun(frame, picture, at_x, at_y, 0.030, '#FFF6D8', '#FFC184', 1.0)
    flock = (
        (0.86, 0.46, 0.026, ('#B5573F', '#EED9B0'), 0.60),
        (0.47, 0.50, 0.022, ('#3F6F8C', '#F0E2C4'), 0.66),
        (0.58, 0.33, 0.036, ('#D89A3C', '#8C3F3A', '#F0DEB4'), 0.46),
        (0.22, 0.30, 0.044, ('#3D7A78', '#E9D9B4', '#C9823F'), 0.38),
        (0.76, 0.21, 0.062, ('#7A3F5C', '#E2B07C', '#F3E3C6'), 0.20),
    )
    for share, y, size, tints, veil in flock:
        shape, mask = balloon(frame, frame.aspect * share, y, size, tints)
        picture = mix(picture, mix(shape, '#E9D3C8', veil), mask)
    picture = _misty_hills(frame, picture, at_x, at_y)
    shape, mask = balloon(
        frame,
        frame.aspect * 0.385,
        0.36,
        0.165,
        ('#C4473A', '#F2E2BF', '#E0A23E', '#F2E2BF', '#2F5F74'),
        gores=13,
    )
    picture = mix(picture, shape, mask)
    return bloom(picture, 0.75, 0.05, 0.5)


def village(frame, hour):
    """The same valley village at 'noon', 'dusk', 'night' or in 'fog'."""
    looks = {
        'noon': (
            ('#3F86CC', '#86B8E2', '#D6E8F0'),
            ('#7C93B2', '#5F8672', '#6E9A4C', '#3F6B34'),
            '#FFFDF4',
            '#B8C8DA',
            0.0,
        ),
        'dusk': (
            ('#34406F', '#8A6F96', '#E89A80', '#FFC98C'),
            ('#9A7494', '#6E5880', '#56465E', '#332C40'),
            '#FFC9A0',
            '#7A6088',
            0.35,
        ),
        'night': (
            ('#050A1E', '#0F1D42', '#27406C'),
            ('#22365C', '#1A2A48', '#122036', '#0B1526'),
            '#3A5080',
            '#101C3A',
            1.0,
        ),
        'fog': (
            ('#A3A7AA', '#B8BBBD', '#C6C8C9'),
            ('#B4B7B9', '#A4A8AA', '#8F9496', '#777C7F'),
            '#CFD1D2',
            '#AEB2B5',
            0.0,
        ),
    }
    stops, tints, lit, shade, glow = looks[hour]
    picture = sky(frame, stops, 0, 0.66)
    light_x = frame.aspect * 0.74
    if hour == 'noon':
        picture = plane_clouds(frame, picture, 0.66, (light_x, 0.1), lit, shade, 0.60, 0.75, 751)
    if hour == 'dusk':
        picture = streaks(frame, picture, lit, shade, 752, 0.5, 0.0, 0.6, 0.04, 0.9)
        picture = sun(frame, picture, light_x, 0.47, 0.045, '#FFF0C8', '#FF9C58', 1.0)
    if hour == 'night':
        picture = picture + stars(frame, 753, 46, 0.9)
        picture = add_light(picture, 0.25 * frame.glow(light_x, 0.18, 0.12, 2), '#8FA8DC')
        crescent = frame.disc(light_x, 0.18, 0.050) * (
            1 - frame.disc(light_x + 0.022, 0.168, 0.046)
        )
        picture = mix(picture, '#F4EFD8', crescent)
    fog_tint = {'noon': '#D6E6EE', 'dusk': '#F0B090', 'night': '#2E4672', 'fog': '#C6C8C9'}[hour]
    for index, tint in enumerate(tints):
        low = (0.60, 0.70, 0.80, 0.96)[index]
        rough = (
            ridged(frame.columns * 0.9, frame.columns * 0 + 3, 7, 760, 0.46)
            if index == 0
            else fbm(
                frame.columns * (0.8 + 0.2 * index) + 3 * index,
                frame.columns * 0,
                5,
                760 + index,
                0.42,
            )
            + 0.45
        )
        line = low - (0.42, 0.17, 0.13, 0.12)[index] * rough
        down = frame.y - line
        grain = fbm(
            frame.x * (9 + 4 * index) + 6 * down, frame.y * (16 + 10 * index), 6, 770 + index, 0.58
        )
        body = colour(tint) * (1 + 0.28 * grain)[..., None]
        if index == 0:
            snow = smooth(-0.1, 0.25, grain + 0.32 - 2.6 * down)
            peak = {'noon': '#F6F9FC', 'dusk': '#F2B8A4', 'night': '#5C74A4', 'fog': '#C8CBCD'}[
                hour
            ]
            body = mix(body, peak, snow * 0.9)
        depth = np.clip(down / 0.26, 0, 1) * (0.62, 0.50, 0.10, 0.05)[index]
        if hour == 'fog':
            depth = np.clip(depth + 0.50 - 0.16 * index, 0, 0.90)
        body = mix(body, fog_tint, depth)
        if hour == 'dusk':
            body = mix(body, '#FFB880', 0.45 * frame.glow(light_x, 0.5, 0.28, 2) * (1 - index / 4))
        picture = mix(picture, body, frame.below(line))
        if index >= 1:
            random = np.random.default_rng(780 + index)
            size = (0.030, 0.055, 0.150)[index - 1]
            trees = [
                _spruce(random, x, float(np.interp(x, frame.columns, line)), size)
                for x in np.arange(0, frame.aspect, size * 0.26)
                if fbm(np.array([x * 2.2]), np.array([index * 3.0]), 3, 790)[0]
                > (-0.05, 0.06, 0.02)[index - 1]
            ]
            dark = mix(
                colour(tint) * 0.34,
                fog_tint,
                0.24 - 0.08 * index if hour != 'fog' else 0.62 - 0.16 * index,
            )
            picture = mix(picture, dark, frame.mask(trees))
        if index == 2:
            picture = _houses(frame, picture, line, hour, glow, fog_tint)
    return bloom(picture, 0.6, 0.025, 0.7)


def _spruce(random, x, base, size):
    return conifer(
        random,
        x + random.uniform(-0.3, 0.3) * size,
        base + 0.004,
        size * random.uniform(0.6, 1.3),
        0.2,
    )


def _houses(frame, picture, line, hour, glow, fog_tint):
    random = np.random.default_rng(799)
    ambient = {'noon': 1.0, 'dusk': 0.55, 'night': 0.13, 'fog': 0.62}[hour]
    veil = {'noon': 0.05, 'dusk': 0.12, 'night': 0.10, 'fog': 0.40}[hour]
    warm = np.zeros_like(frame.x)
    for share, size in (
        (0.24, 0.070),
        (0.305, 0.094),
        (0.375, 0.078),
        (0.52, 0.084),
        (0.59, 0.098),
        (0.66, 0.072),
        (0.445, 0.106),
    ):
        x = frame.aspect * share
        y = float(np.interp(x, frame.columns, line)) + 0.045 + random.uniform(-0.008, 0.012)
        w, h = size, size * 0.60
        wall = colour(random.choice(['#F2E6D2', '#E7D3B5', '#EDE4DA', '#D9B58F']))
        roof = colour(random.choice(['#A5563F', '#8C4638', '#7A4A3C']))
        if hour == 'fog':
            wall, roof = np.full(3, wall.mean()), np.full(3, roof.mean())
        body = frame.mask(
            [[(x - w / 2, y), (x + w / 2, y), (x + w / 2, y - h), (x - w / 2, y - h)]]
        )
        top = frame.mask(
            [
                [
                    (x - w * 0.58, y - h * 0.95),
                    (x - w * 0.36, y - h * 1.65),
                    (x + w * 0.36, y - h * 1.65),
                    (x + w * 0.58, y - h * 0.95),
                ],
                [
                    (x + w * 0.16, y - h * 1.6),
                    (x + w * 0.16, y - h * 1.95),
                    (x + w * 0.26, y - h * 1.95),
                    (x + w * 0.26, y - h * 1.6),
                ],
            ]
        )
        picture = mix(picture, mix(wall * ambient, fog_tint, veil), body)
        picture = mix(picture, mix(roof * ambient, fog_tint, veil), top)
        if share == 0.445:
            tower = [
                (x - w * 0.72, y),
                (x - w * 0.40, y),
                (x - w * 0.40, y - h * 2.3),
                (x - w * 0.72, y - h * 2.3),
            ]
            spire = [
                (x - w * 0.78, y - h * 2.25),
                (x - w * 0.56, y - h * 3.7),
                (x - w * 0.34, y - h * 2.25),
            ]
            picture = mix(picture, mix(wall * ambient * 0.9, fog_tint, veil), frame.mask([tower]))
            picture = mix(picture, mix(roof * ambient * 0.8, fog_tint, veil), frame.mask([spire]))
        panes = frame.mask(
            [
                [
                    (x + w * s, y - h * 0.72),
                    (x + w * s + w * 0.15, y - h * 0.72),
                    (x + w * s + w * 0.15, y - h * 0.30),
                    (x + w * s, y - h * 0.30),
                ]
                for s in (-0.36, -0.075, 0.21)
            ]
        )
        dark = mix(colour('#3A4656') * max(ambient, 0.3), fog_tint, veil)
        picture = mix(picture, mix(dark, colour('#FFC66E') * 1.5, glow), panes)
        warm = np.maximum(warm, panes)
    spread = blur(warm, frame.height * 0.02)
    return add_light(picture, spread * 1.2 * glow, '#FFA650')
