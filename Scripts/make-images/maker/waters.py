"""Seas, lakes and rivers, and their shores."""

import numpy as np

from . import flora
from .air import milky_way, plane_clouds, sky, stars, streaks, sun
from .canvas import add_light, bloom, blur, colour, mix, ramp, shifted, smooth
from .noise import cells, fbm, perlin, ridged


def ripples(frame, horizon, seed=1, eye=0.12, octaves=6, stretch=1.0):
    """Slopes of a water surface in perspective and the distance to it.

    Waves too small for their pixel fade out, so that the far water is calm.
    """
    drop = np.clip(frame.y - horizon, frame.pixel * 0.5, None)
    z = eye / drop
    x = (frame.x - frame.aspect / 2) * z * stretch
    footprint = z * z * frame.pixel / eye
    slope_x, slope_z = np.zeros_like(frame.x), np.zeros_like(frame.x)
    frequency, amplitude = 1.2, 1.0
    for octave in range(octaves):
        fade = amplitude / (1 + (frequency * footprint) ** 2)
        turn = 0.3 * np.sin(octave * 2.4)
        u = (x * np.cos(turn) + z * np.sin(turn)) * frequency
        v = (z * np.cos(turn) - x * np.sin(turn)) * frequency * 1.6
        slope_z += fade * perlin(u, v, seed + octave)
        slope_x += fade * perlin(u + 31, v + 17, seed + octave)
        frequency *= 1.9
        amplitude *= 0.76
    return slope_x, slope_z, z


def mirror(frame, picture, horizon, shift_x=0.0, shift_y=0.0):
    """The picture above the horizon, reflected below it."""
    unit = frame.height
    rows = (2 * horizon - frame.y + shift_y) * unit - 0.5
    columns = (frame.x + shift_x) * unit - 0.5
    rows = np.clip(rows, 0, horizon * unit - 2)
    columns = np.clip(columns, 0, frame.width - 1.001)
    top, left = rows.astype(np.int32), columns.astype(np.int32)
    part_y = (rows - top).astype(np.float32)[..., None]
    part_x = (columns - left).astype(np.float32)[..., None]
    upper = picture[top, left] * (1 - part_x) + picture[top, left + 1] * part_x
    lower = picture[top + 1, left] * (1 - part_x) + picture[top + 1, left + 1] * part_x
    return upper * (1 - part_y) + lower * part_y


def water(
    frame, picture, horizon, deep, seed=1, roughness=0.02, eye=0.12, stretch=1.0, clarity=0.55
):
    """Cover everything below the horizon with water that mirrors the picture above."""
    slope_x, slope_z, z = ripples(frame, horizon, seed, eye, 8, stretch)
    reach = np.clip((frame.y - horizon) / (1 - horizon), 0, 1)
    rough = roughness * (0.15 + reach)
    seen = mirror(frame, picture, horizon, slope_x * rough * 0.6, slope_z * rough * 3.0)
    steep = np.clip(reach * clarity + 0.25 * slope_z * reach, 0, 0.95)
    surface = mix(seen * 0.93, deep, steep)
    return mix(picture, surface, frame.below(np.full(frame.width, horizon))), slope_x, slope_z


def glitter(frame, horizon, x, seed=1, eye=0.12, width=0.05, spread=0.25):
    """Sparkling path of light that a low sun or moon lays on the water."""
    slope_x, slope_z, _ = ripples(frame, horizon, seed, eye, 7)
    reach = np.clip((frame.y - horizon) / (1 - horizon), 0, 1)
    wide = width * (0.5 + 1.0 * reach) + spread * 0.15 * reach
    path = np.exp(-(((frame.x - x + slope_x * spread * 0.22) / wide) ** 2))
    spark = smooth(-0.35, 1.0, slope_z + 0.35 * (1 - reach))
    return path * spark**1.5 * smooth(horizon - 0.001, horizon + 0.004, frame.y)


def sun_path(frame):
    """Sunset over a quiet sea."""
    horizon = 0.50
    at_x, at_y = frame.aspect * 0.60, 0.435
    picture = sky(frame, ('#2D4A7C', '#6F7FA8', '#C79AA0', '#F3AE7E', '#FFC987'), 0, 0.5)
    picture = plane_clouds(
        frame, picture, horizon + 0.03, (at_x, at_y), '#FFC98F', '#705D82', 0.56, 0.55, 11
    )
    picture = sun(frame, picture, at_x, at_y, 0.030, '#FFF1C9', '#FF9C55', 1.1)
    picture, _, _ = water(frame, picture, horizon, '#123049', 40, 0.045, 0.62, 1.0, 0.80)
    sparks = glitter(frame, horizon, at_x, 40, 0.62, 0.045, 0.30)
    picture = add_light(picture, sparks * 1.6, '#FFBE78')
    line = np.exp(-(((frame.y - horizon) / 0.006) ** 2))
    picture = add_light(picture, 0.25 * line * frame.glow(at_x, horizon, 0.5), '#FFB97A')
    x, y = frame.aspect * 0.27, horizon + 0.012
    hull = [
        (x - 0.030, y - 0.006),
        (x + 0.032, y - 0.008),
        (x + 0.022, y + 0.004),
        (x - 0.022, y + 0.004),
    ]
    main = [(x + 0.002, y - 0.088), (x + 0.002, y - 0.012), (x + 0.034, y - 0.014)]
    jib = [(x - 0.003, y - 0.078), (x - 0.003, y - 0.013), (x - 0.030, y - 0.012)]
    picture = mix(
        picture,
        '#2A2B40',
        frame.mask([hull, main, jib], [([(x, y - 0.092), (x, y)], 0.0022)]) * 0.92,
    )
    image = [[(px, 2 * y - py + 0.004) for px, py in shape] for shape in (main, jib)]
    picture = mix(picture, '#33405A', blur(frame.mask(image), 2) * 0.45)
    return bloom(picture, 0.65, 0.035, 0.6)


def aurora(frame):
    """Northern lights over a lake between hills."""
    horizon = 0.64
    picture = sky(frame, ('#060B1E', '#0B1A3A', '#15335A', '#2C5C74'), 0, 0.64)
    picture = picture + stars(frame, 30, 62, 0.9)
    light = np.zeros_like(picture)
    curtains = (
        (0.50, 0.13, 0.50, 201, 1.0),
        (0.42, 0.18, 0.36, 205, 0.8),
        (0.30, 0.16, 0.30, 209, 0.5),
    )
    for base, swing, reach, seed, strength in curtains:
        bend = (
            frame.x
            + 0.20 * fbm(frame.x * 1.3, frame.y * 0.9, 3, seed)
            + (0.5 - frame.y) * 0.25 * (frame.x - frame.aspect * 0.45)
        )
        edge = (
            base
            + swing * fbm(bend * 1.15, bend * 0 + 2.0, 4, seed + 1)
            + 0.06 * np.sin(bend * 7 + seed)
        )
        height = edge - frame.y
        rays = 0.55 + 0.75 * fbm(bend * 16, frame.y * 0.35, 4, seed + 2, 0.6)
        patch = smooth(-0.35, 0.35, fbm(bend * 1.0, bend * 0 + 9.0, 3, seed + 3))
        body = smooth(-0.012, 0.022, height) * np.exp(-np.clip(height, 0, None) / (reach * 0.30))
        tall = np.clip(height / reach, 0, 1)
        tint = ramp(tall, '#BFF5B0', '#5FE39A', '#35B59B', '#4A6FC0', '#8A4FB0')
        light += (strength * patch * body * np.clip(rays, 0.12, 1.4) ** 1.4)[..., None] * tint
    picture = picture + light * 1.05
    for layer, (tint, low, tall, seed) in enumerate(
        (('#12303F', 0.60, 0.15, 211), ('#0A1C29', 0.625, 0.11, 213))
    ):
        rough = ridged(
            frame.columns * (1.2 + 0.6 * layer) + 3 * layer, frame.columns * 0, 7, seed, 0.47
        )
        line = (
            low
            + 0.02
            - tall
            * rough
            * (0.55 + 0.45 * np.cos((frame.columns / frame.aspect - 0.12 + 0.5 * layer) * 6.2))
        )
        face = colour(tint) * (1 + 0.5 * fbm(frame.x * 14, frame.y * 20, 5, seed + 1))[..., None]
        snow = smooth(
            0.0, 0.3, fbm(frame.x * 9 + 4 * frame.y, frame.y * 22, 5, seed + 2)
        ) * smooth(0.07, 0.0, frame.y - line)
        face = mix(face, '#5E9C95', snow * (0.45 - 0.15 * layer))
        picture = mix(picture, face, frame.below(line))
    random = np.random.default_rng(214)
    shore = flora.forest(random, -0.1, frame.aspect + 0.1, lambda x: 0.640, 0.012, 0.034, 0.6)
    picture = mix(picture, '#050E16', frame.mask(shore))
    picture, _, _ = water(frame, picture, horizon, '#04101C', 44, 0.022, 0.10, 1.0, 0.40)
    near = []
    for x, tall in (
        (0.05, 0.50),
        (0.13, 0.40),
        (0.01, 0.33),
        (0.20, 0.27),
        (0.265, 0.16),
        (frame.aspect - 0.06, 0.36),
        (frame.aspect - 0.13, 0.24),
        (frame.aspect, 0.44),
    ):
        near.append(flora.conifer(random, x, 0.97, tall, 0.17))
    line = (
        0.975
        - 0.07 * np.exp(-frame.columns / 0.25)
        - 0.06 * np.exp((frame.columns - frame.aspect) / 0.2)
        + 0.012 * fbm(frame.columns * 8, frame.columns * 0, 4, 215)
    )
    picture = mix(picture, '#03080D', np.maximum(frame.mask(near), frame.below(line)))
    return bloom(picture, 0.45, 0.05, 0.55)


def _house(x, y, size, door=0.0):
    """Outlines of a gabled cabin: walls, roof, chimney and windows."""
    w, h = size, size * 0.62
    walls = [(x - w / 2, y), (x + w / 2, y), (x + w / 2, y - h), (x - w / 2, y - h)]
    roof = [
        (x - w * 0.60, y - h * 0.92),
        (x - w * 0.40, y - h * 1.75),
        (x + w * 0.40, y - h * 1.75),
        (x + w * 0.60, y - h * 0.92),
    ]
    chimney = [
        (x + w * 0.18, y - h * 1.7),
        (x + w * 0.18, y - h * 2.1),
        (x + w * 0.27, y - h * 2.1),
        (x + w * 0.27, y - h * 1.7),
    ]
    windows = []
    for place in (-0.30, 0.02 + door, 0.32):
        left, top = x + w * place - w * 0.075, y - h * 0.74
        windows.append(
            [
                (left, top),
                (left + w * 0.15, top),
                (left + w * 0.15, top + h * 0.40),
                (left, top + h * 0.40),
            ]
        )
    return walls, roof, chimney, windows


def cabins(frame):
    """Red cabins on a winter shore at blue hour."""
    horizon = 0.66
    picture = sky(frame, ('#1C2C5A', '#3F5590', '#8A8CB4', '#DFA9A0', '#F2BE98'), 0, 0.66)
    picture = picture + (stars(frame, 33, 30, 0.6) * smooth(0.4, 0.0, frame.y)[..., None])
    picture = streaks(frame, picture, '#E7B3AE', '#6E73A2', 35, 0.40, 0.05, 0.52, 0.05)
    for layer, (low, tall, scale, seed, rock, snow_tint) in enumerate(
        (
            (0.60, 0.46, 0.85, 221, '#5C6690', '#C9B7CC'),
            (0.665, 0.26, 1.5, 227, '#36436B', '#9DA9CF'),
        )
    ):
        rough = ridged(frame.columns * scale + 1.3 + layer * 5, frame.columns * 0, 8, seed, 0.48)
        line = low - tall * (rough - 0.12)
        down = frame.y - line
        gully = fbm(frame.x * 8 + down * 10, frame.y * 10 - frame.x * 3, 6, seed + 1, 0.58)
        snow = smooth(-0.30, 0.16, gully + 0.30 - 1.3 * down)
        side = smooth(-0.25, 0.35, fbm(frame.x * 6 + down * 12, frame.y * 5, 5, seed + 2))
        face = mix(rock, mix(snow_tint, '#6F82B4', side * 0.75), snow)
        face = mix(face, '#A99BBB', np.clip(down / 0.45, 0, 1) * 0.6)
        picture = mix(picture, face, frame.below(line))
    random = np.random.default_rng(228)
    bank = 0.652 - 0.03 * np.exp(-(((frame.columns - frame.aspect * 0.42) / 0.45) ** 2))
    woods = flora.forest(
        random,
        -0.05,
        frame.aspect + 0.05,
        lambda x: float(np.interp(x, frame.columns, bank)) + 0.004,
        0.014,
        0.05,
        0.6,
    )
    picture = mix(picture, '#25304F', frame.mask(woods) * 0.95)
    snow_bank = mix(
        '#C4CCE4', '#8494C4', smooth(-0.2, 0.35, fbm(frame.x * 6, frame.y * 40, 4, 229))
    )
    picture = mix(picture, snow_bank, frame.below(bank))
    lamps = np.zeros_like(frame.x)
    for share, lift, size, tint in (
        (0.22, 0.004, 0.070, '#7C2B2A'),
        (0.35, 0.010, 0.085, '#8E302C'),
        (0.475, 0.006, 0.066, '#A8772E'),
        (0.60, 0.003, 0.076, '#7C2B2A'),
        (0.76, 0.0, 0.058, '#5A6478'),
    ):
        x = frame.aspect * share
        y = 0.656 - lift
        walls, roof, chimney, windows = _house(x, y, size)
        planks = 1 + 0.12 * np.sign(np.sin(frame.x * 900))
        picture = mix(picture, colour(tint) * planks[..., None], frame.mask([walls, chimney]))
        picture = mix(picture, '#D5DBEE', frame.mask([roof]))
        picture = mix(
            picture,
            '#9AA6CC',
            frame.mask(
                [
                    [
                        roof[0],
                        roof[3],
                        (roof[3][0], roof[3][1] + 0.002),
                        (roof[0][0], roof[0][1] + 0.002),
                    ]
                ]
            ),
        )
        panes = frame.mask(windows)
        picture = mix(picture, colour('#FFC56B') * 1.5, panes)
        lamps = np.maximum(lamps, panes)
        picture = add_light(
            picture, 0.16 * frame.glow(x, y - size * 0.2, size * 0.5, 2.4), '#FFA552'
        )
        for step in range(9):
            rise = step / 9
            picture = mix(
                picture,
                '#B9B4CC',
                0.20
                * (1 - rise)
                * np.exp(
                    -(
                        (
                            (
                                frame.x
                                - x
                                - size * 0.22
                                - 0.07 * rise**1.5
                                - 0.01 * np.sin(rise * 9)
                            )
                            / (0.004 + 0.016 * rise)
                        )
                        ** 2
                        + ((frame.y - y + size * 1.3 + 0.13 * rise) / 0.012) ** 2
                    )
                ),
            )
    picture = add_light(picture, blur(lamps, frame.height * 0.008) * 0.9, '#FF9E45')
    picture, _, _ = water(frame, picture, horizon, '#101E42', 52, 0.035, 0.11, 1.0, 0.45)
    floes = fbm(
        (frame.x - frame.aspect / 2) / (frame.y - 0.55),
        1.2 / np.clip(frame.y - 0.55, 0.02, None),
        4,
        230,
    )
    floes = smooth(0.16, 0.22, floes) * smooth(0.76, 0.95, frame.y)
    picture = mix(picture, '#A9B8DC', floes * 0.75)
    return bloom(picture, 0.65, 0.02, 0.7)


def lighthouse(frame):
    """A lighthouse on a rock at night, upright and tall."""
    horizon = 0.70
    picture = sky(frame, ('#060A1C', '#0E1C40', '#22406C', '#4A6E90', '#8D9AA0'), 0, 0.72)
    light, crowd = milky_way(frame, (frame.aspect * 0.25, 0.22), 62, 61, 0.12)
    picture = picture + light * 0.6 + stars(frame, 60, 66, 0.9, 0.4 + 0.6 * crowd)
    picture = streaks(
        frame, picture, '#7890B2', '#20355C', 63, 0.34, 0.30, 0.72, 0.03, opacity=0.7
    )
    lamp_x, lamp_y = frame.aspect * 0.58, 0.305
    dx, dy = frame.x - lamp_x, frame.y - lamp_y
    dust = 0.75 + 0.35 * fbm(frame.x * 5, frame.y * 5, 4, 64)
    for angle, strength in ((-172, 1.0), (8, 0.75)):
        turn = np.radians(np.float32(angle))
        along = dx * np.cos(turn) + dy * np.sin(turn)
        across = -dx * np.sin(turn) + dy * np.cos(turn)
        wide = 0.006 + 0.10 * np.clip(along, 0, None)
        beam = np.exp(-((across / wide) ** 2)) * (along > 0) * np.exp(-along * 1.5)
        picture = add_light(picture, 0.65 * strength * beam * dust, '#FFE2A6')
    picture, _, _ = water(frame, picture, horizon, '#0A1B33', 66, 0.06, 0.10, 1.0, 0.6)
    picture = add_light(
        picture,
        glitter(frame, horizon, lamp_x, 66, 0.10, 0.03, 0.3) * 0.55 * smooth(1.0, 0.72, frame.y),
        '#FFD08A',
    )
    rock_line = (
        0.93
        - 0.30 * np.exp(-(((frame.columns - lamp_x - 0.03) / 0.25) ** 2))
        - 0.05 * ridged(frame.columns * 3.0, frame.columns * 0, 6, 67)
        - 0.10 * smooth(lamp_x, frame.aspect, frame.columns)
    )
    rock_line = np.where(
        np.abs(frame.columns - lamp_x) < 0.06, np.minimum(rock_line, 0.655), rock_line
    )
    crag = ridged(frame.x * 9 + 5 * frame.y, frame.y * 16 - frame.x * 4, 8, 68, 0.6)
    step = max(1, frame.height // 320)
    facet = np.clip(0.35 + 2.6 * (crag - shifted(crag, -step, step)), 0, 1)
    rock = mix('#0B1120', '#4C5870', facet * (0.35 + 0.65 * crag))
    rock = add_light(rock, 0.30 * facet * frame.glow(lamp_x, 0.55, 0.22, 2.5), '#FFC880')
    rock = mix(rock, '#0A1020', 0.8 * smooth(0.02, 0.34, frame.y - rock_line))
    picture = mix(picture, rock, frame.below(rock_line))
    foam = (
        smooth(0.35, 0.8, ridged(frame.x * 5, frame.y * 14, 5, 69))
        * np.exp(-(((frame.y - rock_line) / 0.02) ** 2))
        * smooth(0.74, 0.86, frame.y)
    )
    picture = mix(picture, '#7C93B2', foam * 0.6)
    base = 0.665
    t = np.clip((frame.y - 0.335) / (base - 0.335), 0, 1)
    half = 0.032 + 0.020 * t**1.4
    u = dx / half
    tower = (
        np.clip((half - np.abs(dx)) / frame.pixel + 0.5, 0, 1)
        * frame.below(np.full(frame.width, 0.335))
        * (1 - frame.below(np.full(frame.width, base)))
    )
    stripe = smooth(-0.04, 0.04, np.sin((t + 0.04) * np.pi * 5))
    paint = mix('#DDD9CF', '#A5382F', stripe)
    shade = 0.10 + 0.42 * np.clip(1 - ((u + 0.45) / 1.3) ** 2, 0, 1)
    warm = 0.55 * np.exp(-t * 4.5)
    picture = mix(
        picture,
        paint * (shade[..., None] * colour('#8FA6D4') + warm[..., None] * colour('#FFCE86')),
        tower,
    )
    windows = [
        [
            (lamp_x - 0.006, y),
            (lamp_x + 0.006, y),
            (lamp_x + 0.006, y + 0.018),
            (lamp_x - 0.006, y + 0.018),
        ]
        for y in (0.40, 0.47, 0.545)
    ]
    picture = mix(picture, colour('#FFC870') * 1.2, frame.mask(windows))
    gallery = [
        [
            (lamp_x - 0.046, 0.330),
            (lamp_x + 0.046, 0.330),
            (lamp_x + 0.040, 0.340),
            (lamp_x - 0.040, 0.340),
        ],
        [(lamp_x - 0.030, 0.280), (lamp_x, 0.252), (lamp_x + 0.030, 0.280)],
        [
            (lamp_x - 0.002, 0.235),
            (lamp_x + 0.002, 0.235),
            (lamp_x + 0.002, 0.26),
            (lamp_x - 0.002, 0.26),
        ],
    ]
    rails = [
        ([(lamp_x - 0.044 + 0.011 * i, 0.312), (lamp_x - 0.044 + 0.011 * i, 0.332)], 0.0014)
        for i in range(9)
    ]
    rails.append(([(lamp_x - 0.045, 0.313), (lamp_x + 0.045, 0.313)], 0.0018))
    room = frame.mask(
        [
            [
                (lamp_x - 0.025, 0.280),
                (lamp_x + 0.025, 0.280),
                (lamp_x + 0.025, 0.332),
                (lamp_x - 0.025, 0.332),
            ]
        ]
    )
    picture = mix(picture, colour('#FFDF9A') * 1.6, room)
    picture = mix(picture, '#2A1D22', frame.mask(gallery, rails))
    picture = add_light(picture, 1.2 * frame.glow(lamp_x, lamp_y, 0.028, 2.2), '#FFE3A8')
    hut = frame.mask(
        [
            [
                (lamp_x + 0.07, 0.665),
                (lamp_x + 0.17, 0.665),
                (lamp_x + 0.17, 0.625),
                (lamp_x + 0.07, 0.625),
            ]
        ]
    )
    roof = frame.mask(
        [
            [
                (lamp_x + 0.062, 0.627),
                (lamp_x + 0.085, 0.598),
                (lamp_x + 0.155, 0.598),
                (lamp_x + 0.178, 0.627),
            ]
        ]
    )
    picture = mix(picture, '#4A5268', hut)
    picture = mix(picture, '#3B2426', roof)
    lit = frame.mask(
        [
            [
                (lamp_x + s, 0.636),
                (lamp_x + s + 0.014, 0.636),
                (lamp_x + s + 0.014, 0.652),
                (lamp_x + s, 0.652),
            ]
            for s in (0.085, 0.113, 0.141)
        ]
    )
    picture = mix(picture, colour('#FFC870') * 1.3, lit)
    return bloom(picture, 0.55, 0.025, 0.8)


def _boat(x, y, size):
    hull = [
        (x - size * 0.42, y - size * 0.07),
        (x + size * 0.45, y - size * 0.10),
        (x + size * 0.30, y + size * 0.04),
        (x - size * 0.30, y + size * 0.04),
    ]
    main = flora.curve(
        (x + size * 0.02, y - size * 1.25),
        (x + size * 0.42, y - size * 0.5),
        (x + size * 0.50, y - size * 0.16),
    )
    jib = flora.curve(
        (x - size * 0.02, y - size * 1.12),
        (x - size * 0.26, y - size * 0.45),
        (x - size * 0.46, y - size * 0.14),
    )
    return (
        hull,
        [*map(tuple, main), (x + size * 0.02, y - size * 0.15)],
        [*map(tuple, jib), (x - size * 0.02, y - size * 0.15)],
    )


def sails(frame):
    """Sailing boats in morning mist."""
    horizon = 0.55
    picture = sky(frame, ('#9FC0CF', '#C7D6D6', '#EFE3CF', '#F8E6C4'), 0, 0.56)
    picture = sun(frame, picture, frame.aspect * 0.30, 0.26, 0.040, '#FFF6DE', '#FFE2AE', 0.8)
    for low, tall, tint, seed in ((0.545, 0.16, '#BCCBCF', 301), (0.552, 0.10, '#94AEB8', 305)):
        rough = ridged(frame.columns * 1.1 + seed, frame.columns * 0, 7, seed, 0.45)
        side = smooth(frame.aspect * 0.35, frame.aspect, frame.columns) * 0.9 + 0.25
        line = low - tall * rough * side
        fade = mix(tint, '#EFE3CF', np.clip((frame.y - line) / 0.12, 0, 1) * 0.8)
        picture = mix(picture, fade, frame.below(line))
    boats = (
        (0.80, 0.556, 0.055, 0.70),
        (0.66, 0.563, 0.075, 0.55),
        (0.17, 0.572, 0.09, 0.42),
        (0.50, 0.625, 0.26, 0.0),
    )
    for share, y, size, mist in boats[:3]:
        hull, main, jib = _boat(frame.aspect * share, y, size)
        picture = mix(picture, mix('#F4EEE0', '#E9E2D2', mist), frame.mask([main, jib]))
        picture = mix(picture, mix('#33505C', '#C3CFCE', mist), frame.mask([hull]))
    picture, _, _ = water(frame, picture, horizon, '#2B6272', 70, 0.035, 0.12, 1.0, 0.80)
    picture = add_light(
        picture,
        glitter(frame, horizon, frame.aspect * 0.30, 70, 0.12, 0.06, 0.35) * 0.6,
        '#FFE9BE',
    )
    for share, y, size, mist in boats:
        x = frame.aspect * share
        hull, main, jib = _boat(x, y, size)
        image = [
            [(px + 0.006 * np.sin(py * 190), 2 * y - py + 0.01 * size) for px, py in shape]
            for shape in (main, jib)
        ]
        soft = blur(frame.mask(image), frame.height * 0.004)
        slope = ripples(frame, horizon, 70, 0.12)[1]
        picture = mix(picture, '#EFE6D2', soft * np.clip(0.42 + 0.5 * slope, 0, 0.8) * (1 - mist))
        light = smooth(x - size * 0.5, x + size * 0.5, frame.x + 0.15 * (frame.y - y))
        cloth = mix('#FFF8E6', '#C9BFAE', light)
        seams = 1 - 0.05 * smooth(0.8, 1.0, np.cos((frame.y - y) / size * 38))
        picture = mix(picture, mix(cloth * seams[..., None], '#EDE5D4', mist), frame.mask([main]))
        picture = mix(
            picture, mix(mix('#D9795A', '#B65A48', light), '#EDE5D4', mist), frame.mask([jib])
        )
        wood = mix('#2F4A58', '#1E303C', smooth(y - size * 0.08, y + size * 0.02, frame.y))
        picture = mix(
            picture,
            mix(wood, '#B9C7C6', mist),
            frame.mask(
                [hull],
                [
                    ([(x, y - size * 1.30), (x, y - size * 0.06)], size * 0.016),
                    ([(x, y - size * 0.145), (x + size * 0.52, y - size * 0.155)], size * 0.014),
                ],
            ),
        )
    return bloom(picture, 0.8, 0.05, 0.4)


def underwater(frame):
    """Sunbeams under water with a shoal of fish over a reef."""
    depth = frame.y + 0.1 * (frame.x - frame.aspect / 2) ** 2
    picture = ramp(depth, '#BFF0E6', '#5CC6CC', '#2391AC', '#12607F', '#0A3A58', '#06253F')
    source_x, source_y = frame.aspect * 0.42, -0.25
    angle = np.arctan2(frame.x - source_x, frame.y - source_y)
    away = np.hypot(frame.x - source_x, frame.y - source_y)
    rays = 0
    for scale, weight, seed in ((7, 0.6, 401), (19, 0.35, 402), (43, 0.18, 403)):
        rays = rays + weight * perlin(angle * scale, away * 0.5, seed)
    rays = smooth(-0.45, 1.05, rays + 0.20)
    picture = add_light(picture, rays * np.exp(-away * 1.9) * 1.35, '#9FE9E6')
    surface = np.clip(1 - frame.y / 0.16, 0, 1)
    u = (frame.x - source_x) / (frame.y + 0.06) * 0.8
    waves = ridged(u, 0.6 / (frame.y + 0.06), 5, 404)
    picture = add_light(picture, surface**1.5 * smooth(0.35, 0.8, waves) * 0.9, '#E6FFF6')
    for layer, (low, tall, tint, seed) in enumerate(
        ((0.86, 0.24, '#1A6480', 411), (0.93, 0.27, '#0F4361', 413), (1.03, 0.30, '#07283F', 412))
    ):
        side = 0.25 + 0.75 * smooth(
            0.10, 0.5, np.abs(frame.columns / frame.aspect - 0.48 + 0.06 * layer)
        )
        rough = ridged(frame.columns * (2 + layer) + layer * 3, frame.columns * 0, 6, seed, 0.5)
        line = low - tall * side * (0.35 + 0.8 * rough)
        rock = colour(tint) * (1 + 0.5 * fbm(frame.x * 12, frame.y * 12, 5, seed + 5))[..., None]
        near, second, _ = cells(
            frame.x * 14 + 0.3 * fbm(frame.x * 8, frame.y * 8, 3, 8), frame.y * 22, seed
        )
        caustic = smooth(0.16, 0.0, second - near) * np.exp(-(frame.y - line) / 0.05)
        rock = add_light(rock, caustic * (0.16, 0.11, 0.03)[layer], '#9DEBDF')
        picture = mix(picture, rock, frame.below(line))
        random = np.random.default_rng(seed)
        weeds = []
        for x in random.uniform(0, frame.aspect, 26 + 14 * layer):
            foot = float(np.interp(x, frame.columns, line)) + 0.01
            tall_weed = random.uniform(0.03, 0.13) * (0.6 + 0.4 * layer)
            rows = np.linspace(0, 1, 12)
            sway = 0.015 * np.sin(rows * 5 + random.uniform(0, 6)) * rows
            weeds.append(
                flora.tapered(np.stack([x + sway, foot - tall_weed * rows], -1), 0.008, 0.001)
            )
        picture = mix(picture, colour(tint) * 0.85, frame.mask(weeds))
    random = np.random.default_rng(420)
    for tint, count, size, centre in (
        ('#2B8AA3', 54, 0.014, (0.66, 0.28)),
        ('#123F5C', 44, 0.025, (0.38, 0.50)),
    ):
        bodies, tails, taken = [], [], []
        for _ in range(count):
            x = frame.aspect * centre[0] + random.normal(0, 0.16) * frame.aspect / 0.8
            y = centre[1] + random.normal(0, 0.055) + 0.10 * (x - frame.aspect * centre[0])
            if any(abs(x - px) < size * 2.5 and abs(y - py) < size * 0.9 for px, py in taken):
                continue
            taken.append((x, y))
            s = size * random.uniform(0.7, 1.2)
            tilt = random.normal(-0.1, 0.12)
            t = np.linspace(0, 2 * np.pi, 24)
            px, py = s * np.cos(t), 0.30 * s * np.sin(t) * (1 + 0.25 * np.cos(t))
            spin = np.array([[np.cos(tilt), -np.sin(tilt)], [np.sin(tilt), np.cos(tilt)]])
            bodies.append([tuple(p) for p in (spin @ np.stack([px, py])).T + [x, y]])
            tail = np.array(
                [[-0.85 * s, 0], [-1.45 * s, -0.36 * s], [-1.25 * s, 0], [-1.45 * s, 0.36 * s]]
            )
            tails.append([tuple(p) for p in (spin @ tail.T).T + [x, y]])
        mask = frame.mask(bodies + tails)
        top = np.clip(mask - shifted(mask, max(1, frame.height // 350), 0), 0, 1)
        picture = mix(picture, tint, mask * 0.9)
        picture = add_light(picture, top * 0.35, '#C9FFF2')
    for _ in range(40):
        x = frame.aspect * 0.80 + random.normal(0, 0.02)
        y = random.uniform(0.15, 0.85)
        r = random.uniform(0.0015, 0.0065)
        ring = np.exp(
            -(((np.hypot(frame.x - x, frame.y - y) - r) / (r * 0.13 + frame.pixel * 0.5)) ** 2)
        )
        ring = ring * (0.45 + 0.55 * smooth(r, -r, frame.y - y))
        picture = add_light(picture, ring * 0.34, '#D5FFF6')
    return bloom(picture, 0.7, 0.05, 0.4)


def palm_island(frame):
    """A small island with palms against the evening; few, flat colours."""
    horizon = 0.66
    bands = np.floor((frame.y / horizon) * 9) / 8
    edge = smooth(0, 1, np.clip(((frame.y / horizon * 9) % 1 - 0.5) * 60 + 0.5, 0, 1)) * 0
    picture = ramp(bands + edge, '#33406E', '#6A5788', '#B06C86', '#E5907A', '#F8C184', '#FDE0A0')
    at_x, at_y = frame.aspect * 0.56, 0.50
    for radius, share in ((0.27, 0.16), (0.22, 0.20), (0.175, 0.26)):
        picture = mix(picture, '#FFE3A4', frame.disc(at_x, at_y, radius) * share)
    picture = mix(picture, '#FFF3CB', frame.disc(at_x, at_y, 0.135))
    for x, y, w in (
        (0.20, 0.17, 0.20),
        (0.28, 0.19, 0.16),
        (0.86, 0.26, 0.22),
        (0.78, 0.28, 0.14),
        (0.10, 0.40, 0.16),
    ):
        blob = np.clip(
            (1 - np.hypot((frame.x - frame.aspect * x) / w, (frame.y - y) / 0.016))
            * w
            / frame.pixel
            * 0.1,
            0,
            1,
        )
        picture = mix(picture, '#F7C49A', blob * 0.8)
    sea = ramp(
        np.floor((frame.y - horizon) / (1 - horizon) * 7) / 6,
        '#E79A7C',
        '#A9677F',
        '#5B4C7C',
        '#2C3560',
    )
    picture = mix(picture, sea, frame.below(np.full(frame.width, horizon)))
    random = np.random.default_rng(431)
    dashes = []
    for _ in range(150):
        y = horizon + 0.004 + (1 - horizon) * random.uniform() ** 1.3
        wide = (0.02 + 0.12 * (y - horizon)) * random.uniform(0.5, 2.2)
        x = at_x + random.normal(0, 0.04 + 0.16 * (y - horizon))
        thick = 0.0012 + 0.010 * (y - horizon)
        dashes.append([(x - wide, y), (x, y - thick), (x + wide, y), (x, y + thick)])
    picture = mix(picture, '#FFE0A0', frame.mask(dashes))
    for low, reach, tint, centre in (
        (0.672, 0.05, '#7C5A80', 1.12),
        (0.70, 0.075, '#1E2244', 0.42),
    ):
        line = (
            low
            - reach * np.exp(-(((frame.columns / frame.aspect - centre) / 0.24) ** 2))
            - 0.006 * fbm(frame.columns * 9, frame.columns * 0, 4, 432)
        )
        bottom = 0.690 + 0.006 * np.sin(frame.columns * 11) if tint == '#1E2244' else horizon
        picture = mix(
            picture, tint, frame.below(line) * (1 - frame.below(bottom + 0 * frame.columns))
        )
    shapes = []
    for share, tall, lean in ((0.36, 0.46, 0.10), (0.42, 0.36, -0.07), (0.48, 0.26, 0.08)):
        shapes += flora.palm(random, frame.aspect * share, 0.66, tall, lean)
    picture = mix(picture, '#1E2244', frame.mask(shapes))
    birds = []
    for x, y, s in ((0.72, 0.22, 0.022), (0.77, 0.19, 0.016), (0.80, 0.235, 0.013)):
        x *= frame.aspect
        for sign in (-1, 1):
            wing = flora.curve(
                (x, y), (x + sign * s * 0.5, y - s * 0.7), (x + sign * s * 1.2, y - s * 0.1), 10
            )
            birds.append(flora.tapered(wing, s * 0.2, s * 0.04))
    return mix(picture, '#3A3560', frame.mask(birds))
