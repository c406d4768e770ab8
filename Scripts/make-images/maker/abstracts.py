"""Patterns: marbling, flow, glass, waves, fractals."""

import numpy as np

from .canvas import add_light, bloom, blur, colour, mix, ramp, shifted, smooth
from .noise import cells, fbm


def marbled(frame):
    """Marbled paper in indigo, cream and gold."""
    x, y = frame.x * 1.25, frame.y * 1.25
    for turn, strength in ((0, 0.55), (1, 0.42), (2, 0.26)):
        dx = fbm(x * 1.1 + 9 * turn, y * 1.1, 4, 801 + 2 * turn)
        dy = fbm(x * 1.1, y * 1.1 + 9 * turn, 4, 802 + 2 * turn)
        x, y = x + strength * dx, y + strength * dy
    comb = 0.10 * np.sin(y * 20 + 2 * fbm(x, y, 3, 810))
    level = fbm((x + comb) * 1.0, y * 1.0, 4, 811) * 3.4
    veins = level * 5.2
    tone = ramp(
        0.5 + 0.5 * np.sin(veins * 1.15), '#15234A', '#244377', '#4E7DA0', '#C7CDB8', '#F1E6CC'
    )
    thread = np.abs(np.sin(veins * 2.3 + 0.6))
    gold = smooth(0.10, 0.0, thread) * smooth(
        -0.25, 0.30, fbm(frame.x * 2, frame.y * 2, 4, 812) + 0.1
    )
    sheen = 0.6 + 0.55 * fbm(frame.x * 14, frame.y * 14, 4, 813)
    picture = mix(tone, ramp(np.clip(sheen, 0, 1), '#8A5F24', '#D3A047', '#FBE0A0'), gold)
    ink = smooth(0.05, 0.0, np.abs(np.sin(veins * 1.15 + 1.0))) * 0.5
    picture = mix(picture, '#0C1530', ink * (1 - gold))
    slope = level - shifted(level, 3, 3)
    light = np.clip(slope * 6, -1, 1)
    picture = picture * (1 + 0.16 * light)[..., None]
    paper = 1 + 0.025 * fbm(frame.x * 90, frame.y * 90, 3, 814)
    return picture * paper[..., None]


def flow_field(frame):
    """Thousands of fine threads that follow a current."""
    random = np.random.default_rng(821)
    count, steps, pace = 9000, 150, 0.0022
    x = random.uniform(-0.1, frame.aspect + 0.1, count)
    y = random.uniform(-0.1, 1.1, count)
    hue = np.clip(0.5 + 0.85 * fbm(x * 1.2, y * 1.2, 3, 822) + random.normal(0, 0.05, count), 0, 1)
    tint = ramp(
        hue, '#173B57', '#2C7A86', '#7FB8A4', '#F1DFB4', '#E79A62', '#B8483F'
    ) * random.uniform(0.5, 1.1, (count, 1))
    picture = np.zeros((frame.height, frame.width, 3), np.float32) + colour('#0D1622')
    gathered = np.zeros((frame.height * frame.width, 3), np.float64)
    weight = np.zeros(frame.height * frame.width)
    layers = 6
    for layer in range(layers):
        chosen = slice(layer * count // layers, (layer + 1) * count // layers)
        px, py = x[chosen].copy(), y[chosen].copy()
        gathered[:] = 0
        weight[:] = 0
        for step in range(steps * 2):
            angle = 2.6 * np.pi * fbm(px * 0.9 + 3, py * 0.9, 2, 823, 0.35) + 0.4
            px += pace / 2 * np.cos(angle)
            py += pace / 2 * np.sin(angle)
            column, row = (px * frame.height).astype(int), (py * frame.height).astype(int)
            inside = (column >= 0) & (column < frame.width) & (row >= 0) & (row < frame.height)
            taper = np.sin(np.pi * (step + 0.5) / steps / 2)
            place = row[inside] * frame.width + column[inside]
            np.add.at(weight, place, taper)
            np.add.at(gathered, place, taper * tint[chosen][inside])
        sheet = gathered.reshape(frame.height, frame.width, 3).astype(np.float32)
        cover = weight.reshape(frame.height, frame.width).astype(np.float32)
        sigma = 0.0011 / frame.pixel
        sheet, cover = blur(sheet, sigma), blur(cover, sigma)
        mean = sheet / np.maximum(cover, 1e-4)[..., None]
        body = np.clip(cover * 1.5, 0, 1)
        offset = int(0.003 / frame.pixel)
        shadow = shifted(blur(body, sigma * 2.5), offset, offset)
        picture = picture * (1 - 0.55 * shadow)[..., None]
        shade = 0.65 + 0.5 * (layer + 1) / layers
        ridge = np.clip(body - shifted(body, 1, 0), -1, 1)
        picture = mix(picture, mean * shade * (1 + 0.5 * ridge)[..., None], body)
    return bloom(picture, 0.6, 0.03, 0.35)


def stained_glass(frame):
    """A sunlit window of leaded glass."""
    x, y = frame.x - frame.aspect / 2, frame.y - 0.5
    radius, angle = np.hypot(x, y), np.arctan2(y, x)
    ring = np.where(radius < 0.10, 0, np.where(radius < 0.22, 1, np.where(radius < 0.36, 2, 3)))
    petals = np.array([1, 12, 16, 32])[ring]
    turn = np.array([0, 0, 0.5, 0])[ring]
    part = angle / (2 * np.pi) * petals + turn
    sector = np.floor(part)
    edge_ring = np.minimum.reduce([np.abs(radius - r) for r in (0.10, 0.22, 0.36)])
    side = np.minimum(part % 1, 1 - part % 1) / petals * 2 * np.pi * radius
    side = np.where(ring == 0, 1, side)
    near, second, identity = cells(
        frame.x * 8 + 0.3 * fbm(frame.x * 3, frame.y * 3, 2, 830), frame.y * 8, 831, 0.8
    )
    outer = smooth(0.465, 0.47, radius)
    lead_rose = np.minimum(np.minimum(edge_ring, side), np.abs(radius - 0.468))
    lead_cell = np.minimum((second - near) / 8 * 0.55, np.abs(radius - 0.468))
    lead = np.where(outer > 0.5, lead_cell, lead_rose)
    petal_arc = np.abs(radius - (0.22 + 0.14 * (0.35 + 0.65 * np.abs(np.sin(part * np.pi)))))
    lead = np.where((ring == 2) & (outer < 0.5), np.minimum(lead, petal_arc), lead)
    bow = radius > 0.22 + 0.14 * (0.35 + 0.65 * np.abs(np.sin(part * np.pi)))
    key = ring * 37 + (sector.astype(int) % np.maximum(petals, 1)) * 11 + bow * (ring == 2) * 5
    pick = (key * 2654435761 % 1013) / 1013
    rose = np.where(
        ring[..., None] == 0,
        colour('#F3C65A'),
        np.where(
            ring[..., None] == 1,
            ramp((sector % 2) * 0.9 + 0.1 * pick, '#A82A34', '#C8622E', '#E5B04A'),
            np.where(
                ring[..., None] == 2,
                np.where(
                    bow[..., None],
                    ramp(pick, '#1F4F9A', '#2F78B8', '#3FA0A8'),
                    ramp(pick, '#7A2A66', '#B23A5A', '#D86A5A'),
                ),
                ramp((sector % 3) / 2, '#1F6A6A', '#3F9A6A', '#D9B650'),
            ),
        ),
    )
    field = ramp(
        (identity * 7919 % 1009) / 1009,
        '#16305F',
        '#1F4F86',
        '#2A6F9A',
        '#3F8AA0',
        '#28507A',
        '#5A4A86',
    )
    glass = np.where(outer[..., None] > 0.5, field, rose)
    piece = np.where(outer > 0.5, identity * 7919 % 1009, key * 2654435761 % 1013) / 1013
    spin = piece * 6.28
    along = x * np.cos(spin) + y * np.sin(spin)
    across = -x * np.sin(spin) + y * np.cos(spin)
    streak = fbm(along * 9 + piece * 40, across * 55, 5, 832, 0.6)
    texture = (0.80 + 0.40 * piece) * (
        1 + 0.34 * streak + 0.22 * fbm(frame.x * 7, frame.y * 7, 4, 833)
    )
    light = 0.30 + 1.15 * np.exp(
        -((frame.x - frame.aspect * 0.40) ** 2 + (frame.y - 0.34) ** 2) / 0.17
    )
    grey = glass.mean(-1, keepdims=True)
    glass = (grey + (glass - grey) * 0.86) * (texture * light * 1.25)[..., None]
    bubbles = smooth(0.62, 0.8, fbm(frame.x * 60, frame.y * 60, 2, 834))
    glass = add_light(glass, 0.25 * bubbles * light, '#FFFFFF')
    glass = glass * (0.35 + 0.65 * smooth(0.004, 0.028, lead))[..., None]
    came = smooth(0.0068, 0.0052, lead)
    ridge = np.clip(1 - (lead / 0.006) ** 2, 0, 1)
    metal = colour('#15161C') + (0.10 * ridge**3)[..., None] * colour('#B8C0D0')
    glow = blur(glass, frame.height * 0.012)
    picture = mix(glass, metal + 0.10 * glow, came)
    return bloom(picture, 0.6, 0.03, 0.6)


def interference(frame):
    """Overlapping rings on still water."""
    level, slope_x, slope_y = 0, 0, 0
    for share, y, length, power, phase in (
        (0.30, 0.34, 0.042, 1.0, 0.4),
        (0.72, 0.58, 0.036, 0.9, 1.4),
        (0.40, 0.86, 0.050, 0.7, 2.2),
    ):
        dx, dy = frame.x - share * frame.aspect, frame.y - y
        away = np.hypot(dx, dy) + 1e-4
        fade = power * np.exp(-away * 2.6) * smooth(0.0, 0.03, away) / (0.5 + away)
        wave = 2 * np.pi * away / length + phase
        level = level + fade * np.sin(wave)
        slope_x = slope_x + fade * np.cos(wave) * dx / away
        slope_y = slope_y + fade * np.cos(wave) * dy / away
    view = frame.y + 0.20 * slope_y + 0.12 * frame.x + 0.10 * slope_x
    picture = ramp(np.clip(view, 0, 1), '#F4D9B6', '#DDA88C', '#A0708A', '#54507E', '#1F3158')
    shine = np.clip(-0.55 * slope_x - 0.75 * slope_y + 0.12, 0, 2) ** 2
    picture = add_light(picture, 0.40 * shine, '#FFE3B8')
    picture = picture * (1 + 0.18 * level)[..., None]
    return bloom(picture, 0.75, 0.03, 0.4)


def julia(frame):
    """A Julia set with a smooth twilight palette."""
    turn = 0.5
    x, y = (frame.x - frame.aspect / 2) * 2.35, (frame.y - 0.5) * 2.35
    z = (
        ((x * np.cos(turn) - y * np.sin(turn)) + 1j * (x * np.sin(turn) + y * np.cos(turn)))
        .astype(np.complex64)
        .ravel()
    )
    c = np.complex64(-0.7902 + 0.1512j)
    limit, escape = 420, 64.0
    count = np.full(z.size, limit, np.float32)
    trap = np.full(z.size, 9.0, np.float32)
    index = np.arange(z.size)
    for step in range(limit):
        z = z * z + c
        size = np.abs(z)
        trap[index] = np.minimum(trap[index], np.abs(z.real * 0.9 + z.imag * 0.3) + 0.10 * size)
        gone = size > escape
        if gone.any():
            count[index[gone]] = step + 1 - np.log2(np.log(size[gone]) / np.log(escape))
            z, index = z[~gone], index[~gone]
    count = count.reshape(frame.x.shape)
    trap = trap.reshape(frame.x.shape)
    inside = count >= limit
    level = np.log2(1 + np.clip(count, 0, None)) / np.log2(1 + limit)
    phase = np.clip((level - 0.16) / 0.72, 0, 1)
    picture = ramp(
        phase,
        (0, '#0B1230'),
        (0.22, '#1B3A6B'),
        (0.40, '#2F7F93'),
        (0.54, '#A9CDB0'),
        (0.66, '#FBE9B8'),
        (0.78, '#E89A5A'),
        (0.90, '#A43B45'),
        (1, '#2A1030'),
    )
    thread = np.exp(-trap * 9)
    picture = add_light(picture, 0.50 * thread, '#FFE0A4')
    picture = np.where(
        inside[..., None],
        colour('#140A1E') + (thread * 0.5)[..., None] * colour('#C97A4A'),
        picture,
    )
    relief = level - shifted(level, 2, 2)
    picture = picture * (1 + np.clip(relief * 14, -0.30, 0.35))[..., None]
    return bloom(picture, 0.65, 0.03, 0.5)
