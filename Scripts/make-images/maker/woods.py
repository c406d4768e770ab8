"""Forests, single trees, bamboo and flower fields."""

import numpy as np

from . import flora
from .air import sky, streaks, sun
from .canvas import add_light, bloom, blur, colour, mix, ramp, shifted, smooth
from .noise import fbm, perlin, ridged


def pines_in_fog(frame):
    """Shafts of morning light in a misty spruce forest."""
    at_x, at_y = frame.aspect * 0.64, 0.02
    picture = ramp(
        frame.y + 0.25 * np.abs(frame.x - at_x),
        '#F6E7B8',
        '#E3D9AE',
        '#B4C2A4',
        '#7B9B8C',
        '#4B716B',
    )
    picture = add_light(picture, 0.5 * frame.glow(at_x, at_y, 0.22, 2), '#FFE7A8')
    angle = np.arctan2(frame.x - at_x, frame.y - at_y + 0.12)
    away = np.hypot(frame.x - at_x, frame.y - at_y + 0.12)
    shafts = smooth(
        0.0,
        0.8,
        perlin(angle * 5, away * 0.3, 601) + 0.5 * perlin(angle * 13, away * 0.4, 602) + 0.1,
    )
    layers = (
        (0.50, 0.62, '#A9BBA0', 0.9),
        (0.66, 0.70, '#7C9C8C', 0.7),
        (0.80, 0.72, '#4C736C', 0.5),
        (0.93, 0.80, '#274A4A', 0.3),
        (1.06, 0.95, '#0F2729', 0.0),
    )
    for index, (base, tall, tint, veil) in enumerate(layers):
        random = np.random.default_rng(610 + index)
        trees = []
        x = -0.1
        while x < frame.aspect + 0.1:
            gap = np.abs(x - at_x) / frame.aspect
            height = tall * random.uniform(0.42, 0.85) * (0.50 + 0.85 * min(gap * 1.5, 0.8))
            trees.append(
                flora.conifer(random, x, base + random.uniform(-0.02, 0.03), height, 0.13)
            )
            x += (0.045 + 0.035 * index) * random.uniform(0.5, 1.6)
        line = base - 0.02 + 0.025 * fbm(frame.columns * 4, frame.columns * 0, 4, 620 + index)
        mask = np.maximum(frame.mask(trees), frame.below(line))
        mist = 0.55 + 0.5 * fbm(frame.x * 2.2, frame.y * 4, 5, 630 + index)
        low_fog = smooth(base - tall * 0.55, base + 0.05, frame.y) * (0.35 + 0.55 * veil) * mist
        body = mix(tint, '#C9D2B4', np.clip(low_fog, 0, 0.9) * (0.45 + 0.55 * veil))
        body = mix(body, '#FFF0C0', 0.55 * veil * frame.glow(at_x, at_y, 0.25, 2))
        picture = mix(picture, body, mask)
        beam = shafts * np.exp(-away * 1.1) * (0.20, 0.20, 0.20, 0.15, 0.03)[index]
        picture = add_light(picture, beam, '#FFEDB8')
    random = np.random.default_rng(640)
    for _ in range(70):
        x, y = random.uniform(0, frame.aspect), random.uniform(0.35, 0.98)
        spot = frame.disc(x, y, random.uniform(0.0008, 0.0022), 0.002)
        picture = add_light(picture, 0.35 * spot, '#FFF1C4')
    return bloom(picture, 0.75, 0.06, 0.5)


def bamboo(frame):
    """A bamboo grove in green light."""
    glow_x, glow_y = frame.aspect * 0.46, 0.30
    picture = ramp(
        1 - frame.glow(glow_x, glow_y, 0.42, 1.9),
        '#F3F6CF',
        '#C7DC9A',
        '#7FAE6B',
        '#3F7A55',
        '#1C4A3C',
    )
    random = np.random.default_rng(650)
    for layer in range(5):
        t = layer / 4
        count, wide = (26, 20, 13, 8, 5)[layer], (0.007, 0.011, 0.018, 0.030, 0.050)[layer]
        body, edge = (
            ('#A9CB8B', '#8DB679'),
            ('#86B36E', '#649A5C'),
            ('#67994F', '#3E7444'),
            ('#4C7C3C', '#1F4B2E'),
            ('#2E5A32', '#0B2A1E'),
        )[layer]
        places = (np.arange(count) + random.uniform(0.1, 0.9, count)) / count * (
            frame.aspect + 0.1
        ) - 0.05
        for place in places:
            if layer >= 3 and abs(place - glow_x) < 0.10:
                continue
            w = wide * random.uniform(0.75, 1.2)
            lean, bend = random.normal(0, 0.03), random.normal(0, 0.03)
            centre = place + lean * (frame.y - 0.5) + bend * (frame.y - 0.5) ** 2
            u = (frame.x - centre) / (w / 2)
            length = 0.10 + 0.10 * t + random.uniform(0, 0.05)
            phase = (frame.y / length + random.uniform()) % 1
            joint = np.exp(
                -((np.minimum(phase, 1 - phase) * length / (0.0022 + 0.004 * w / 0.05)) ** 2)
            )
            half = 1 + 0.13 * joint
            mask = np.clip((half - np.abs(u)) * w / 2 / frame.pixel + 0.5, 0, 1)
            light = np.clip(1 - ((u - 0.30 * np.sign(glow_x - place)) / 1.35) ** 2, 0, 1)
            cane = mix(edge, body, light)
            grain = 1 + 0.07 * perlin(u * 4 + place * 50, frame.y * 3, 651) * t
            cane = (
                cane
                * (
                    grain
                    * (1 - 0.30 * joint)
                    * (1 + 0.18 * np.exp(-(((phase - 0.05) / 0.03) ** 2)))
                )[..., None]
            )
            cane = add_light(
                cane,
                0.25 * t * np.exp(-(((u - 0.5 * np.sign(glow_x - place)) / 0.16) ** 2)),
                '#DDF0A8',
            )
            picture = mix(picture, cane, mask)
        leaves = []
        for _ in range((90, 90, 80, 60, 46)[layer]):
            x = random.uniform(-0.05, frame.aspect + 0.05)
            y = (
                random.beta(1.0, 2.1) * 0.95
                if layer < 4
                else random.choice([random.uniform(-0.02, 0.20), random.uniform(0.75, 1.0)])
            )
            if layer >= 2 and np.hypot(x - glow_x, (y - glow_y) * 0.8) < 0.16:
                continue
            size = (0.026, 0.036, 0.050, 0.075, 0.115)[layer] * random.uniform(0.6, 1.2)
            for _ in range(random.integers(2, 5)):
                angle = random.normal(np.pi / 2, 0.85)
                tip = (x + size * np.cos(angle), y + size * np.sin(angle))
                spine = flora.curve(
                    (x, y),
                    (x + size * 0.5 * np.cos(angle - 0.25), y + size * 0.5 * np.sin(angle - 0.25)),
                    tip,
                    8,
                )
                half = size * 0.075 * np.sin(np.linspace(0.15, np.pi, 8) ** 0.9)[:, None]
                out = np.array([-np.sin(angle), np.cos(angle)])
                leaves.append(
                    [*map(tuple, spine + out * half), *map(tuple, (spine - out * half)[::-1])]
                )
        mask = frame.mask(leaves)
        if layer == 4:
            mask = blur(mask, frame.height * 0.0022)
        tone = smooth(-0.4, 0.5, fbm(frame.x * 20, frame.y * 20, 3, 655 + layer))
        leaf = mix(edge, body, tone)
        leaf = add_light(leaf, 0.35 * frame.glow(glow_x, glow_y, 0.3, 2) * tone, '#D8EE8C')
        picture = mix(picture, leaf, mask * 0.95)
        picture = mix(
            picture, '#DDE9B0', (0.16 - 0.035 * layer) * frame.glow(glow_x, glow_y, 0.4, 2)
        )
    angle = np.arctan2(frame.x + 0.15, frame.y + 0.35)
    shafts = smooth(0.1, 0.9, perlin(angle * 15, frame.y * 0, 658) + 0.25)
    picture = add_light(picture, 0.16 * shafts * (1 - 0.6 * frame.y), '#F2F6C0')
    return bloom(picture, 0.7, 0.05, 0.45)


def old_tree(frame):
    """A lone oak on a hill in the last light."""
    at_x, at_y = frame.aspect * 0.70, 0.66
    picture = sky(frame, ('#24355F', '#5B6290', '#B98392', '#F0A97C', '#FFD08A'), 0, 0.80)
    picture = streaks(frame, picture, '#FFCF9E', '#86688C', 661, 0.50, 0.02, 0.62, 0.03, 0.9)
    picture = sun(frame, picture, at_x, at_y, 0.050, '#FFF0C4', '#FF9C52', 1.0)
    for low, swing, tint, seed in (
        (0.74, 0.05, '#C98A78', 662),
        (0.775, 0.05, '#94637A', 663),
        (0.815, 0.04, '#5C4266', 664),
    ):
        line = low + swing * fbm(frame.columns * 1.3, frame.columns * 0, 5, seed)
        body = mix(tint, '#FFC68C', 0.55 * frame.glow(at_x, at_y + 0.05, 0.28, 2))
        picture = mix(picture, body, frame.below(line))
    hill = 0.99 - 0.15 * np.exp(-(((frame.columns - frame.aspect * 0.36) / 0.62) ** 2))
    random = np.random.default_rng(675)
    foot = float(np.interp(frame.aspect * 0.36, frame.columns, hill))
    branches, clusters = flora.broadleaf(random, frame.aspect * 0.36, foot + 0.01, 0.65, 9)
    leaves = []
    for x, y, size in clusters:
        for _ in range(8):
            leaves.append(
                (
                    x + random.normal(0, 0.016),
                    y + random.normal(0, 0.013),
                    random.uniform(0.0014, 0.0042),
                )
            )
    crown = frame.mask(discs=leaves)
    wood = frame.mask(branches)
    tree = np.maximum(crown, wood)
    thick = blur(tree, frame.height * 0.010)
    edge = np.clip(tree * (1 - thick) * 1.6, 0, 1)
    toward = np.clip(tree - shifted(thick, -frame.height // 200, -frame.height // 90), 0, 1)
    body = mix('#1C1526', '#40283A', smooth(-0.3, 0.4, fbm(frame.x * 18, frame.y * 18, 4, 666)))
    body = add_light(body, edge * 0.22 + toward * 0.35, '#F08A4A')
    picture = mix(picture, body, tree)
    grass = []
    for _ in range(2600):
        x = random.uniform(-0.02, frame.aspect + 0.02)
        y = float(np.interp(x, frame.columns, hill)) + 0.004
        tall = random.gamma(3, 0.0035)
        tip = x + random.normal(0.004, 0.006)
        grass.append([(x - 0.0011, y), (x + 0.0011, y), (tip, y - tall)])
    ground = mix('#1A1424', '#3B2536', smooth(0.06, 0.0, frame.y - hill))
    rim = np.exp(-np.clip(frame.y - hill, 0, 1) / 0.008) * frame.glow(at_x, 0.85, 0.4, 2)
    ground = add_light(ground, rim * 0.35, '#F59A58')
    picture = mix(picture, ground, np.maximum(frame.below(hill), frame.mask(grass)))
    birds = []
    for x, y, s in (
        (0.56, 0.20, 0.016),
        (0.59, 0.185, 0.012),
        (0.625, 0.215, 0.011),
        (0.53, 0.245, 0.010),
        (0.655, 0.18, 0.009),
    ):
        x *= frame.aspect
        for sign in (-1, 1):
            wing = flora.curve(
                (x, y), (x + sign * s * 0.5, y - s * 0.8), (x + sign * s * 1.2, y - s * 0.2), 10
            )
            birds.append(flora.tapered(wing, s * 0.22, s * 0.04))
    picture = mix(picture, '#3C3350', frame.mask(birds) * 0.9)
    return bloom(picture, 0.65, 0.05, 0.6)


def lavender(frame):
    """Rows of lavender that run to the horizon."""
    horizon = 0.40
    picture = sky(frame, ('#7E9BC8', '#BFC3D8', '#F3D0BD', '#FFDDAE'), 0, 0.42)
    at_x, at_y = frame.aspect * 0.30, 0.335
    picture = streaks(frame, picture, '#FFE9D2', '#C9A9B8', 671, 0.46, 0.0, 0.36, 0.04, 0.9)
    picture = sun(frame, picture, at_x, at_y, 0.026, '#FFF4D2', '#FFB978', 1.0)
    for low, tall, tint, seed in ((0.405, 0.12, '#B7A3BE', 672), (0.41, 0.065, '#8C83A4', 673)):
        line = low - tall * ridged(frame.columns * 0.9 + seed, frame.columns * 0, 6, seed, 0.42)
        body = mix(
            mix(tint, '#F0CDB8', np.clip((frame.y - line) / 0.1, 0, 1) * 0.6),
            '#FFD7A4',
            0.6 * frame.glow(at_x, at_y, 0.25, 2),
        )
        picture = mix(picture, body, frame.below(line))
    drop = np.clip(frame.y - horizon, 0.0006, None)
    z = 0.16 / drop
    hump = 0.05 * fbm(frame.x * 2, z * 0.6, 3, 674)
    x = (frame.x - frame.aspect * 0.52) * z * 1.0 + hump
    rows = x * 5.2
    rough = 1.25 * fbm(x * 30, z * 34, 7, 675, 0.74) * np.exp(-z * 0.35)
    across = np.abs((rows + 0.10 * rough) % 1 - 0.5) * 2
    bush = smooth(0.92, 0.52, across + 0.30 * rough)
    far = 1 - np.exp(-z * 0.10)
    lit = np.clip(
        0.55
        + 0.75 * ((rows % 1 - 0.5) * -1.6) * np.sign(frame.aspect * 0.52 - at_x)
        + 0.6 * rough,
        0,
        1,
    )
    flowers = ramp(lit, '#33214F', '#5B3F86', '#8B67B4', '#BC98D0', '#E3BFDB')
    stalks = smooth(0.1, 0.6, fbm(x * 160, z * 60, 4, 676, 0.7) + 0.12)
    flowers = mix(flowers, '#6B7A4E', stalks * 0.28 * np.exp(-z * 0.5))
    soil = mix('#6B4A3C', '#A97F5E', np.clip(0.5 + fbm(x * 40, z * 40, 6, 677, 0.7), 0, 1))
    soil = soil * (0.50 + 0.4 * smooth(0.4, 1.0, across))[..., None]
    ground = mix(soil, flowers, bush)
    ground = mix(ground, ramp(np.full_like(frame.x, 0.6), '#7A5A9C', '#A98AB8'), far * 0.55)
    ground = mix(ground, '#FFD0A0', np.clip(far * 0.5 * frame.glow(at_x, horizon, 0.5, 2), 0, 0.6))
    ground = add_light(ground, 0.20 * frame.glow(at_x, horizon, 0.6, 2) * bush * lit, '#FFB98A')
    picture = mix(picture, ground, frame.below(np.full(frame.width, horizon)))
    random = np.random.default_rng(678)
    for share, tall in ((0.74, 0.19), (0.80, 0.10), (0.925, 0.085)):
        x0 = frame.aspect * share
        branches, clusters = flora.broadleaf(random, x0, horizon + 0.012, tall, 6)
        discs = [
            (
                cx + random.normal(0, tall * 0.03),
                cy + random.normal(0, tall * 0.03),
                tall * random.uniform(0.012, 0.035),
            )
            for cx, cy, _ in clusters
            for _ in range(7)
        ]
        tree = np.maximum(frame.mask(branches), frame.mask(discs=discs))
        side = smooth(
            x0 - tall * 0.4,
            x0 + tall * 0.4,
            frame.x + 0.05 * fbm(frame.x * 40, frame.y * 40, 3, 679),
        )
        picture = mix(picture, mix('#8F7A5C', '#3F4050', side), tree * 0.96)
        shade = (
            np.exp(-(((frame.y - horizon - 0.012 - (frame.x - x0) * 0.10) / 0.010) ** 2))
            * smooth(x0 - 0.01, x0 + 0.02, frame.x)
            * smooth(x0 + tall * 2.0, x0 + tall * 0.4, frame.x)
        )
        picture = mix(picture, '#3A2A58', shade * 0.5)
    house_x = frame.aspect * 0.595
    walls = [
        (house_x - 0.035, horizon + 0.004),
        (house_x + 0.035, horizon + 0.004),
        (house_x + 0.035, horizon - 0.028),
        (house_x - 0.035, horizon - 0.028),
    ]
    roof = [
        (house_x - 0.041, horizon - 0.026),
        (house_x - 0.024, horizon - 0.046),
        (house_x + 0.024, horizon - 0.046),
        (house_x + 0.041, horizon - 0.026),
    ]
    picture = mix(picture, '#E3C7A8', frame.mask([walls]))
    picture = mix(picture, '#A5664E', frame.mask([roof]))
    panes = [
        [
            (house_x + s, horizon - 0.020),
            (house_x + s + 0.007, horizon - 0.020),
            (house_x + s + 0.007, horizon - 0.008),
            (house_x + s, horizon - 0.008),
        ]
        for s in (-0.024, -0.004, 0.016)
    ]
    picture = mix(picture, '#6B5568', frame.mask(panes))
    return bloom(picture, 0.7, 0.05, 0.5)


def birches(frame):
    """Birch trunks in autumn mist."""
    picture = ramp(
        frame.y + 0.1 * fbm(frame.x * 2, frame.y * 2, 4, 680),
        '#F2E3B6',
        '#E9CF96',
        '#D9A968',
        '#A8763F',
    )
    random = np.random.default_rng(681)
    for layer in range(5):
        t = layer / 4
        veil = 1 - t
        leaves = []
        for _ in range((900, 1000, 1000, 900, 420)[layer]):
            x, y = random.uniform(-0.05, frame.aspect + 0.05), random.beta(1, 2.2) * 0.85
            size = (0.005, 0.006, 0.008, 0.010, 0.014)[layer] * random.uniform(0.6, 1.3)
            turn = random.uniform(0, np.pi)
            along = size * np.array([np.cos(turn), np.sin(turn)])
            out = 0.45 * size * np.array([-np.sin(turn), np.cos(turn)])
            leaves.append(
                [
                    (x + s * along[0] + w * out[0], y + s * along[1] + w * out[1])
                    for s, w in (
                        (1, 0),
                        (0.3, 0.9),
                        (-0.5, 0.8),
                        (-1, 0),
                        (-0.5, -0.8),
                        (0.3, -0.9),
                    )
                ]
            )
        hue = smooth(-0.35, 0.35, fbm(frame.x * 5, frame.y * 5, 4, 682 + layer))
        leaf = mix(mix('#D98A2B', '#E9B84A', hue), '#F0D9A0', veil * 0.7)
        clump = frame.mask(leaves) * smooth(
            0.30, 0.50, 0.5 + fbm(frame.x * 4, frame.y * 4, 4, 690 + layer)
        )
        picture = mix(picture, leaf, clump * (0.55 + 0.3 * t))
        count, wide = (22, 16, 11, 7, 4)[layer], (0.010, 0.016, 0.026, 0.042, 0.066)[layer]
        places = (np.arange(count) + random.uniform(0.1, 0.9, count)) / count * (
            frame.aspect + 0.2
        ) - 0.1
        for place in places:
            w = wide * random.uniform(0.8, 1.2)
            bend, lean = random.normal(0, 0.05), random.normal(0, 0.04)
            foot = 0.70 + 0.30 * t + random.uniform(-0.01, 0.05)
            reach = w + abs(lean) + abs(bend)
            strip = slice(
                max(int((place - reach) / frame.pixel), 0),
                max(int((place + reach) / frame.pixel), 1),
            )
            x, y = frame.x[:, strip], frame.y[:, strip]
            centre = place + lean * (y - foot) + bend * (y - foot) ** 2
            half = w / 2 * (0.75 + 0.25 * y + 0.5 * np.exp((y - foot) / 0.03) * (y < foot + 0.02))
            u = (x - centre) / half
            mask = np.clip((1 - np.abs(u)) * half / frame.pixel + 0.5, 0, 1) * (y < foot)
            light = np.clip(1.05 - 0.55 * (u + 0.45) ** 2, 0.15, 1.1)
            bark = colour('#EFE6D6') * light[..., None]
            scars = smooth(
                0.28, 0.42, fbm(u * 0.9 + place * 31, y * (0.9 / w) + place * 7, 4, 695)
            )
            knots = smooth(
                0.52, 0.66, fbm(u * 0.7 + place * 13, y * (0.30 / w) + place * 3, 3, 696) + 0.14
            )
            bark = mix(bark, '#3A3030', np.clip(scars * 0.75 + knots * 0.9, 0, 0.92))
            picture[:, strip] = mix(
                picture[:, strip], mix(bark, '#EFD8A4', 0.78 * veil**0.8), mask
            )
        floor_line = (
            0.69 + 0.31 * t + 0.012 * fbm(frame.columns * 6, frame.columns * 0, 4, 700 + layer)
        )
        litter = ramp(
            np.clip(0.5 + 0.9 * fbm(frame.x * 34, frame.y * 60, 4, 705 + layer), 0, 1),
            '#6B3F1E',
            '#A8642A',
            '#D99A45',
            '#EFC877',
        )
        picture = mix(picture, mix(litter, '#EBCF98', 0.75 * veil), frame.below(floor_line))
        picture = mix(picture, '#F6E6BC', 0.13 * veil)
    picture = add_light(picture, 0.25 * frame.glow(frame.aspect * 0.3, 0.2, 0.4), '#FFE3A0')
    return bloom(picture, 0.75, 0.05, 0.4)
