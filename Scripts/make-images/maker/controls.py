"""Button states, marks for failed and loading images, the portrait and the app icon."""

import numpy as np

from . import flora
from .canvas import add_light, bloom, colour, mix, ramp, shifted, smooth
from .noise import fbm

STATES = ('normal', 'highlighted', 'selected', 'disabled')
STROKE = 0.062
ACCENTS = {
    'heart': ('#FF7A80', '#E23D50'),
    'star': ('#FFD36B', '#F0A42E'),
    'play': ('#7DB8FF', '#3F83EE'),
}


def _heart():
    t = np.linspace(0, 2 * np.pi, 180, endpoint=False)
    x = 16 * np.sin(t) ** 3
    y = -(13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t))
    return np.stack([0.5 + x * 0.0222, 0.485 + y * 0.0222], -1)


def _rounded(corners, radius):
    """A polygon whose corners are rounded."""
    corners = np.asarray(corners, float)
    points = []
    for before, corner, after in zip(np.roll(corners, 1, 0), corners, np.roll(corners, -1, 0)):
        back, ahead = before - corner, after - corner
        back, ahead = back / np.hypot(*back), ahead / np.hypot(*ahead)
        points.append(flora.curve(corner + back * radius, corner, corner + ahead * radius, 14))
    return np.concatenate(points)


def _star():
    angles = np.radians(np.arange(10) * 36 - 90)
    reach = np.where(np.arange(10) % 2, 0.185, 0.40)
    return _rounded(
        np.stack([0.5 + reach * np.cos(angles), 0.525 + reach * np.sin(angles)], -1), 0.035
    )


def _play():
    return _rounded([(0.39, 0.30), (0.72, 0.5), (0.39, 0.70)], 0.05)


def _pause():
    return [
        _rounded([(x, 0.31), (x + 0.11, 0.31), (x + 0.11, 0.69), (x, 0.69)], 0.03)
        for x in (0.345, 0.545)
    ]


def _skip(sign):
    """A triangle and a bar: the next picture for a `sign` of 1, the previous one for -1."""
    shapes = [
        _rounded([(-0.27, -0.27), (0.17, 0.0), (-0.27, 0.27)], 0.05),
        _rounded([(0.18, -0.26), (0.29, -0.26), (0.29, 0.26), (0.18, 0.26)], 0.035),
    ]
    return [shape * (sign, 1) + 0.5 for shape in shapes]


MEDIA = {
    'previous': _skip(-1),
    'play': [_rounded([(0.27, 0.17), (0.84, 0.5), (0.27, 0.83)], 0.06)],
    'pause': [
        _rounded([(x, 0.20), (x + 0.18, 0.20), (x + 0.18, 0.80), (x, 0.80)], 0.05)
        for x in (0.24, 0.58)
    ],
    'next': _skip(1),
}
MEDIA_TINTS = {'normal': '#E6EBF3', 'highlighted': '#A9CBFF'}
ROUND_STATES = ('normal', 'highlighted', 'selected')


def media(frame, name, state):
    """Colour and opacity of one sign of the media bar."""
    alpha = np.maximum.reduce([frame.mask([shape]) for shape in MEDIA[name]])
    blank = np.zeros((frame.height, frame.width, 3), np.float32)
    return blank + colour(MEDIA_TINTS[state]), alpha


def round_plate(frame, state):
    """Colour and opacity of one round button background."""
    top, bottom, edge = {
        'normal': ('#434B5A', '#2E343F', '#8A95A8'),
        'highlighted': ('#566073', '#3C4453', '#C3CEE0'),
        'selected': ('#4C8BF0', '#2A5CC2', '#B9D6FF'),
    }[state]
    gap = np.hypot(frame.x - 0.5, frame.y - 0.5) - 0.485
    tint = ramp(frame.y, (0.04, top), (0.96, bottom))
    rim = np.exp(-(((gap + 0.014) / 0.010) ** 2))
    tint = add_light(tint, rim * (0.42 * smooth(0.45, 0.04, frame.y) + 0.06), edge)
    return tint, np.clip(0.5 - gap / frame.pixel, 0, 1)


def _stroke(frame, outline, width=STROKE):
    closed = np.concatenate([outline, outline[:1]])
    return frame.mask(
        lines=[([tuple(p) for p in closed], width)], discs=[(*p, width / 2) for p in closed]
    )


def icon(frame, name, state):
    """Colour and opacity of one icon state. The play sign has a dark disc, so that it is visible on pictures."""
    tint, alpha = _sign(frame, name, state)
    if name != 'play':
        return tint, alpha
    disc = frame.disc(0.5, 0.5, 0.47) * 0.62
    whole = alpha + disc * (1 - alpha)
    return mix(np.zeros_like(tint) + colour('#0A0E16'), tint, alpha / np.maximum(whole, 1e-4)), whole


def _sign(frame, name, state):
    outline = {'heart': _heart, 'star': _star, 'play': _play}[name]()
    line, body = _stroke(frame, outline), frame.mask([outline])
    blank = np.zeros((frame.height, frame.width, 3), np.float32)
    if state == 'selected':
        top, bottom = ACCENTS[name]
        tint = ramp(frame.y, (0.15, top), (0.85, bottom))
        if name == 'play':
            bars = _pause()
            return tint, np.maximum.reduce(
                [np.maximum(frame.mask([bar]), _stroke(frame, bar, STROKE * 0.3)) for bar in bars]
            )
        return tint, np.maximum(line, body)
    stroke_tint, fill, fill_tint = {
        'normal': ('#C9CFDA', 0.0 if name != 'play' else 1.0, '#E6EBF3'),
        'highlighted': ('#FFFFFF', 0.42, '#DDE6F5'),
        'disabled': ('#5A606C', 0.0, '#5A606C'),
    }[state]
    alpha = np.maximum(line, body * fill)
    share = line / np.maximum(alpha, 1e-4)
    return mix(blank + colour(fill_tint), stroke_tint, np.clip(share, 0, 1)), alpha


def _distance_to_box(frame, half_width, half_height, radius, centre_y=0.5):
    qx = np.abs(frame.x - frame.aspect / 2) - half_width + radius
    qy = np.abs(frame.y - centre_y) - half_height + radius
    return (
        np.hypot(np.maximum(qx, 0), np.maximum(qy, 0)) + np.minimum(np.maximum(qx, qy), 0) - radius
    )


def plate(frame, state):
    """Colour and opacity of one button background."""
    top, bottom, edge, glow = {
        'normal': ('#434B5A', '#2E343F', '#8A95A8', 0.0),
        'highlighted': ('#566073', '#3C4453', '#C3CEE0', 0.0),
        'selected': ('#4C8BF0', '#2A5CC2', '#B9D6FF', 0.35),
        'disabled': ('#2A2E36', '#25282F', '#4A505B', 0.0),
    }[state]
    lift = 0.012 if state == 'highlighted' else 0.0
    gap = _distance_to_box(frame, frame.aspect / 2 - 0.075, 0.415, 0.20, 0.475 + lift)
    body = np.clip(0.5 - gap / frame.pixel, 0, 1)
    tint = ramp(frame.y, (0.06, top), (0.90, bottom))
    sheen = 0.06 * smooth(0.5, 0.06, frame.y) * smooth(0.0, -0.03, gap)
    rim = np.exp(-(((gap + 0.014) / 0.010) ** 2))
    tint = add_light(tint, sheen, '#FFFFFF')
    tint = add_light(tint, rim * (0.42 * smooth(0.35, 0.06, frame.y) + 0.06), edge)
    tint = tint * (1 - 0.28 * rim * smooth(0.72, 0.92, frame.y))[..., None]
    if state == 'disabled':
        return tint, body * 0.75
    fall = np.exp(
        -np.clip(
            _distance_to_box(frame, frame.aspect / 2 - 0.075, 0.415, 0.20, 0.505 + lift), 0, 1
        )
        / 0.026
    )
    shadow_tint = mix(np.zeros_like(tint) + colour('#05070A'), '#3F83EE', glow)
    shadow = (
        fall
        * (0.55 if state != 'highlighted' else 0.40)
        * smooth(0.0, 0.02, frame.y)
        * smooth(1.0, 0.97, frame.y)
    )
    alpha = body + shadow * (1 - body)
    return mix(shadow_tint, tint, body / np.maximum(alpha, 1e-4)), alpha


def _glyph_frame(frame):
    """The quiet picture glyph: outline, mountains and sun as one mask."""
    gap = _distance_to_box(frame, 0.44, 0.34, 0.075)
    width = 0.045
    outline = np.clip((width / 2 - np.abs(gap)) / frame.pixel + 0.5, 0, 1)
    middle = frame.aspect / 2
    peaks = frame.mask(
        [
            _rounded(
                [(middle - 0.36, 0.775), (middle - 0.13, 0.455), (middle + 0.085, 0.775)], 0.022
            ),
            _rounded(
                [(middle - 0.10, 0.775), (middle + 0.135, 0.555), (middle + 0.36, 0.775)], 0.022
            ),
        ]
    )
    return np.maximum.reduce([outline, peaks, frame.disc(middle + 0.20, 0.355, 0.066)])


def placeholder(frame):
    """The placeholder of a loading image."""
    alpha = _glyph_frame(frame)
    return np.zeros((frame.height, frame.width, 3), np.float32) + colour('#6E7582'), alpha * 0.85


def failure(frame):
    """The failure image: a picture frame broken in two."""
    whole = _glyph_frame(frame)
    rows = np.array([0.0, 0.16, 0.34, 0.50, 0.66, 0.84, 1.0])
    crack = frame.aspect / 2 + np.array([0.11, 0.05, 0.115, -0.02, 0.045, -0.075, -0.03])
    line = np.interp(frame.y, rows, crack)
    shift = int(0.055 * frame.height)
    drop = int(0.035 * frame.height)
    left = shifted(whole * (frame.x < line), drop // 2, -shift // 2)
    right = shifted(whole * (frame.x >= line), -drop // 2, shift // 2)
    return np.zeros((frame.height, frame.width, 3), np.float32) + colour('#7C838F'), np.maximum(
        left, right
    )


def app_icon(frame):
    """A lit picture behind glass."""
    outer = _distance_to_box(frame, 0.46, 0.46, 0.21)
    body = np.clip(0.5 - outer / frame.pixel, 0, 1)
    picture = ramp(frame.y + 0.2 * frame.x, '#3B4354', '#262C38', '#161A22')
    picture = add_light(
        picture,
        0.5 * np.exp(-(((outer + 0.010) / 0.007) ** 2)) * smooth(0.8, 0.0, frame.y),
        '#AEBBD2',
    )
    inner = _distance_to_box(frame, 0.335, 0.335, 0.085)
    pane = np.clip(0.5 - inner / frame.pixel, 0, 1)
    picture = picture + (0.30 * np.exp(-np.clip(inner, 0, 1) / 0.045) * (1 - pane))[
        ..., None
    ] * colour('#F0A878')
    view = ramp((frame.y - 0.165) / 0.67, '#2B3C74', '#8A6A9A', '#F09A78', '#FFD592')
    view = add_light(view, 0.6 * frame.glow(0.60, 0.50, 0.12, 2), '#FFB868')
    view = mix(view, colour('#FFF3CE') * 1.2, frame.disc(0.60, 0.49, 0.078))
    for index, (low, tall, tint, peaks) in enumerate(
        (
            (0.70, 0.24, '#A0648A', ((0.34, 1.0, 0.17), (0.74, 0.62, 0.16))),
            (0.77, 0.17, '#5A4580', ((0.22, 0.7, 0.15), (0.56, 1.0, 0.15))),
            (0.86, 0.16, '#262350', ((0.36, 0.75, 0.2), (0.80, 1.0, 0.16))),
        )
    ):
        rise = np.maximum.reduce(
            [
                power * np.clip(1 - np.abs(frame.columns - x) / wide, 0, 1)
                for x, power, wide in peaks
            ]
        )
        line = (
            low - tall * rise - 0.010 * fbm(frame.columns * 9, frame.columns * 0, 3, 1101 + index)
        )
        view = mix(
            view,
            mix(tint, '#F0A08A', np.clip((frame.y - line) / 0.3, 0, 1) * (0.4 - 0.12 * index)),
            frame.below(line),
        )
    sheen = smooth(0.005, -0.005, frame.x + 0.55 * frame.y - 0.66) * smooth(
        -0.005, 0.005, frame.x + 0.55 * frame.y - 0.46
    )
    thin = smooth(0.005, -0.005, frame.x + 0.55 * frame.y - 0.75) * smooth(
        -0.005, 0.005, frame.x + 0.55 * frame.y - 0.70
    )
    view = add_light(view, 0.10 * sheen + 0.07 * thin, '#FFFFFF')
    view = view * (1 - 0.35 * np.exp(np.clip(inner, -1, 0) / 0.02))[..., None]
    picture = mix(picture, view, pane)
    rim = np.exp(-(((inner - 0.010) / 0.008) ** 2))
    picture = mix(
        picture, ramp(frame.y, '#F5E2C0', '#C79A63', '#8A6238'), np.clip(rim * 1.3, 0, 1)
    )
    return picture, body


def owl(frame):
    """The face of an owl at night, drawn from smooth shapes."""
    middle = frame.aspect / 2
    x, y = frame.x - middle, frame.y
    side = np.abs(x)
    picture = ramp(np.hypot(x, y - 0.48) * 1.25, '#4A6A86', '#2C4566', '#162642', '#0B1428')
    blobs = frame.disc(middle + 0.36, 0.16, 0.085, 0.05) + 0.6 * frame.disc(
        middle - 0.40, 0.30, 0.06, 0.04
    )
    picture = add_light(picture, blobs * 0.10, '#FFD9A0')
    feathers = fbm(x * 26, y * 10, 5, 1201)
    head_line = np.hypot(x / 0.375, (y - 0.50) / 0.355)
    shoulders = np.clip(
        (0.30 + 0.20 * np.sqrt(np.clip((y - 0.70) / 0.3, 0, 1)) - side) / 0.012 + 0.5, 0, 1
    ) * smooth(0.66, 0.70, y)
    breast = ramp(np.clip(0.45 + 0.8 * feathers, 0, 1), '#6B4E38', '#A98460', '#D6B88E')
    flecks = smooth(0.10, 0.45, fbm(x * 22, y * 11, 4, 1204))
    breast = mix(breast, '#3D2A20', flecks * 0.75)
    breast = breast * (0.95 - 0.9 * side)[..., None]
    breast = breast * (0.35 + 0.65 * smooth(0.80, 0.95, y))[..., None]
    picture = mix(picture, breast, shoulders)
    tuft = np.zeros_like(x)
    for sign in (-1, 1):
        root = np.array([[sign * 0.10, 0.19], [sign * 0.320, 0.055], [sign * 0.325, 0.36]])
        shape = np.concatenate(
            [
                flora.curve(root[0], (sign * 0.235, 0.175), root[1], 12),
                flora.curve(root[1], (sign * 0.285, 0.17), root[2], 12),
            ]
        )
        tuft = np.maximum(tuft, frame.mask([[(middle + px, py) for px, py in shape]]))
    ragged = np.clip((1 - head_line + 0.018 * feathers) * 0.355 / frame.pixel * 0.35 + 0.5, 0, 1)
    plumage = ramp(
        np.clip(0.5 + 0.55 * feathers + 0.35 * (0.42 - y), 0, 1),
        '#4A3628',
        '#7A5A40',
        '#A8825C',
        '#CDA97C',
    )
    lit = 0.62 + 0.75 * smooth(0.30, -0.35, x) * smooth(1.0, 0.1, y)
    plumage = plumage * (lit * (1.05 - 0.45 * np.clip(head_line, 0, 1.1) ** 4))[..., None]
    streaks = smooth(0.15, 0.5, fbm(x * 40, y * 6, 4, 1202)) * smooth(0.40, 0.20, y)
    plumage = mix(plumage, '#33241C', streaks * 0.6)
    picture = mix(picture, plumage * 0.9, np.maximum(ragged, tuft))
    eye_x, eye_y = 0.158, 0.475
    for sign in (-1, 1):
        ex, ey = x - sign * eye_x, y - eye_y
        away, angle = np.hypot(ex, ey * 0.94), np.arctan2(ey, ex)
        barbs = fbm(angle * 11, away * 9, 5, 1203 + sign)
        own = smooth(-0.02, 0.02, sign * x)
        disc = smooth(0.205, 0.175, away + 0.020 * barbs) * own
        face = ramp(
            np.clip(away / 0.20 + 0.22 * barbs, 0, 1),
            '#5A4030',
            '#B08A64',
            '#E3C9A2',
            '#EFDDBE',
            '#7A583E',
        )
        face = face * (0.72 + 0.45 * smooth(0.3, -0.35, x))[..., None]
        face = face * (1 - 0.45 * np.exp(-(((away - 0.095) / 0.030) ** 2)))[..., None]
        picture = mix(picture, face, disc)
        rim = smooth(0.030, 0.010, np.abs(away - 0.195 + 0.014 * barbs)) * own
        picture = mix(picture, '#33231A', rim * 0.65)
        ball = np.clip((0.098 - away) / frame.pixel * 0.6 + 0.5, 0, 1)
        picture = mix(picture, '#120C0A', ball)
        iris = np.clip((0.088 - away) / frame.pixel * 0.6 + 0.5, 0, 1)
        fibre = fbm(angle * 16, away * 22, 4, 1210)
        amber = ramp(
            np.clip((away - 0.045) / 0.045 + 0.25 * fibre, 0, 1),
            '#FFE08A',
            '#F7B23C',
            '#D97A1E',
            '#7A3610',
        )
        amber = amber * (0.70 + 0.65 * smooth(-0.06, 0.09, ey))[..., None]
        picture = mix(picture, amber, iris)
        picture = mix(picture, '#08070A', np.clip((0.049 - away) / frame.pixel * 0.5 + 0.5, 0, 1))
        lid = smooth(-0.058, -0.070, ey + 0.22 * sign * ex * -1 + 0.004) * ball
        picture = mix(picture, '#2A1D16', lid * 0.9)
        picture = add_light(
            picture, 1.1 * np.exp(-((ex + 0.030) ** 2 + (ey + 0.034) ** 2) / 0.00022), '#F4FAFF'
        )
        picture = add_light(
            picture, 0.30 * np.exp(-((ex - 0.032) ** 2 + (ey - 0.036) ** 2) / 0.0005), '#9FC4E8'
        )
    brow_line = 0.405 - 0.62 * side + 0.10 * np.sin(side * 9)
    brow = smooth(
        0.034, 0.012, np.abs(y - brow_line + 0.010 * feathers) * (0.75 + 1.3 * side)
    ) * smooth(0.31, 0.22, side)
    picture = mix(picture, mix('#F1E3CA', '#B89670', smooth(0.0, 0.3, side) * 0.7), brow * 0.92)
    bridge = (
        smooth(0.035, 0.010, side + 0.006 * feathers)
        * smooth(0.36, 0.42, y)
        * smooth(0.60, 0.52, y)
    )
    picture = mix(picture, '#EAD8B8', bridge * 0.8)
    t = np.clip((y - 0.515) / 0.145, 0, 1)
    beak_half = 0.040 * np.clip(np.sin(np.pi * (0.30 + 0.70 * t)), 0, 1) ** 0.8
    beak = np.clip((beak_half - side) / frame.pixel * 0.6 + 0.5, 0, 1) * (y > 0.515) * (y < 0.66)
    horn = mix(
        '#3A3538', '#9A9088', np.clip(0.75 - 3.0 * np.abs(x + 0.010) / 0.04 * 0.4 - 0.3 * t, 0, 1)
    )
    picture = mix(picture, horn, beak)
    picture = add_light(
        picture,
        0.35 * beak * np.exp(-(((x + 0.011) / 0.006) ** 2)) * smooth(0.62, 0.53, y),
        '#FFF3E0',
    )
    return bloom(picture, 0.7, 0.03, 0.4)
