"""Objects on a transparent ground: each returns linear colour and opacity."""

import numpy as np

from .canvas import add_light, blur, colour, mix, ramp, shifted, smooth
from .noise import fbm
from .skies import gas_giant, ring_light
from .towns import balloon


def _over(front, front_alpha, back, back_alpha):
    """Lay one transparent picture over another."""
    alpha = front_alpha + back_alpha * (1 - front_alpha)
    total = front * front_alpha[..., None] + back * (back_alpha * (1 - front_alpha))[..., None]
    return total / np.maximum(alpha, 1e-5)[..., None], alpha


def lone_balloon(frame):
    """A hot-air balloon."""
    return balloon(
        frame,
        frame.aspect / 2,
        0.345,
        0.315,
        ('#2F6F86', '#F3E5C6', '#D9843B', '#F3E5C6', '#9C3B40'),
        gores=15,
        turn=0.2,
    )


def lone_planet(frame):
    """A planet with its rings."""
    x, y, radius, tilt, flat = frame.aspect / 2, 0.5, 0.285, 0.30, 0.23
    body, mask, up = gas_giant(
        frame,
        x,
        y,
        radius,
        np.array([-0.62, 0.48, 0.62]),
        ('#3F4F6E', '#6F8FA8', '#A9BFC0', '#D9D3BE', '#F1E9D6'),
        1001,
        tilt,
    )
    body = body * (1 - 0.55 * np.exp(-(((up - 0.17) / 0.08) ** 2)))[..., None] + colour('#0A0E18')
    ring, away, front, along, across = ring_light(frame, x, y, radius, tilt, flat, 1005)
    shaded = smooth(1.02, 0.88, np.abs(across * 0.75 - along * 0.18) / radius) * smooth(
        0.1, 0.5, along * 0.9 / radius
    )
    tint = ramp(np.clip((away - 1.25) / 1.05, 0, 1), '#8E7B6A', '#D6BE9C', '#EFE2C8', '#A8988A')
    tint = tint * (1 - 0.85 * shaded)[..., None]
    picture, alpha = _over(body, mask, tint, ring * ~front * 0.9)
    return _over(tint, ring * front * 0.92, picture, alpha)


def leaf(frame):
    """An autumn leaf with a soft shadow."""
    turn = np.radians(np.float32(-52))
    dx, dy = frame.x - frame.aspect * 0.5, frame.y - 0.5
    along = dx * np.cos(turn) + dy * np.sin(turn)
    across = -dx * np.sin(turn) + dy * np.cos(turn)
    across = across - 0.16 * (along**2 - 0.10)
    t = (along + 0.36) / 0.80
    inner = np.clip(t, 0, 1)
    half = 0.265 * np.clip(np.sin(np.pi * inner**0.82), 0, 1) ** 0.85 * (1 - 0.30 * inner)
    side = np.abs(across)
    vein_run = (along - 0.80 * side + 0.36) / 0.80 * 10.5
    tooth = 0.5 + 0.5 * np.cos((vein_run - 0.5) * 2 * np.pi)
    half = half * (0.965 + 0.045 * tooth)
    mask = np.clip((half - side) / frame.pixel + 0.5, 0, 1) * (t > 0) * (t < 1)
    near = np.abs(vein_run - np.round(vein_run)) / 10.5 * 0.80 * 0.62
    rim = np.clip(side / np.maximum(half, 1e-4), 0, 1)
    rib = smooth(0.0080, 0.0030, side + 0.0045 * inner)
    veins = np.maximum(rib, smooth(0.0042, 0.0012, near + 0.002 * rim) * (1 - 0.5 * rim))
    mesh = smooth(0.10, 0.0, np.abs(fbm(along * 26, across * 26, 3, 1011)))
    mottle = fbm(frame.x * 5, frame.y * 5, 5, 1012)
    heat = np.clip(0.20 + 0.55 * rim**1.6 + 0.25 * inner + 0.45 * mottle, 0, 1)
    body = ramp(heat, '#E7B84A', '#E0913A', '#C85A2E', '#9C3328', '#6F2428')
    pillow = np.cos((vein_run - np.round(vein_run)) * 2 * np.pi)
    slope = 0.30 * np.sin((vein_run - 0.12) * 2 * np.pi) * (1 - rib)
    light = (
        0.98
        + 0.10 * pillow * rim
        + slope * 0.32
        + 0.24 * np.sign(-across) * smooth(0, 0.012, side) * (0.35 + rim)
    )
    body = body * light[..., None] * (1 - 0.10 * mesh * (1 - veins))[..., None]
    body = mix(body, '#F5D98C', veins * 0.72)
    body = add_light(
        body,
        0.12 * smooth(0.9, 0.2, np.hypot(along + 0.05, (across + 0.09) * 1.8) / 0.30),
        '#FFE7B0',
    )
    stalk_t = np.linspace(0, 1, 24)
    run = -0.36 - 0.125 * stalk_t
    bend = 0.16 * (run**2 - 0.10) + 0.02 * stalk_t**2
    points = [
        (
            frame.aspect * 0.5 + a * np.cos(turn) - b * np.sin(turn),
            0.5 + a * np.sin(turn) + b * np.cos(turn),
        )
        for a, b in zip(run, bend)
    ]
    stalk = frame.mask(lines=[(points, 0.011)], discs=[(*points[-1], 0.008)])
    body, alpha = _over(body, mask, np.zeros_like(body) + colour('#A8602E'), stalk)
    shadow = blur(
        shifted(alpha, int(frame.height * 0.022), int(frame.height * 0.016)), frame.height * 0.014
    )
    return _over(body, alpha, np.zeros_like(body) + colour('#0A0608'), shadow * 0.45)


def glass_ball(frame):
    """A glass ball on its soft shadow with the light it gathers."""
    x, y, radius = frame.aspect / 2, 0.455, 0.345
    u, v = (frame.x - x) / radius, (frame.y - y) / radius
    away = np.hypot(u, v)
    mask = frame.disc(x, y, radius)
    w = np.sqrt(np.clip(1 - away**2, 0, 1))
    fresnel = 0.04 + 0.96 * (1 - w) ** 3.2
    seen_u, seen_v = -u * (0.35 + 0.9 * away**4), -v * (0.35 + 0.9 * away**4)
    land = smooth(-0.03, 0.03, seen_v - 0.10 - 0.10 * fbm(seen_u * 3, seen_u * 0, 4, 1021))
    view = mix(
        ramp(np.clip(0.55 + seen_v, 0, 1), '#2F6FA8', '#8FC0DC', '#F3E3C4'),
        ramp(np.clip(seen_v * 1.4, 0, 1), '#4F8A6A', '#1F4A4A'),
        land,
    )
    tint = mix(view, '#0F2A3A', 0.30 * away**6)
    opacity = 0.50 + 0.42 * away**3
    caustic = np.exp(-((u - 0.10) ** 2 / 0.16 + (v - 0.66) ** 2 / 0.030))
    tint = add_light(tint, caustic * 0.9, '#FFF1CC')
    tint = add_light(tint, fresnel * 0.50 * smooth(0.9, -0.9, v), '#DDF0FF')
    tint = add_light(
        tint, 0.35 * np.exp(-(((away - 0.955) / 0.022) ** 2)) * smooth(-0.2, 0.8, v), '#CFEBFF'
    )
    turn = np.radians(np.float32(-24))
    pu = (u + 0.36) * np.cos(turn) - (v + 0.46) * np.sin(turn)
    pv = (u + 0.36) * np.sin(turn) + (v + 0.46) * np.cos(turn)
    bend = pv + 0.5 * pu**2
    pane = smooth(0.30, 0.16, np.abs(pu)) * smooth(0.13, 0.05, np.abs(bend)) * (0.75 - 1.6 * bend)
    tint = add_light(tint, pane * 1.1, '#FFFFFF')
    low = np.exp(-((u - 0.50) ** 2 + (v - 0.56) ** 2) / 0.008)
    tint = add_light(tint, low * 0.6, '#FFFFFF')
    alpha = np.clip(opacity + 0.5 * caustic + pane + 0.5 * low, 0, 1) * mask
    sx, sy = (frame.x - x - 0.03) / 0.40, (frame.y - 0.835) / 0.085
    reach = np.hypot(sx, sy)
    dark = 0.62 * smooth(1.15, 0.05, reach) + 0.30 * smooth(
        0.30, 0.0, np.hypot((frame.x - x) / 0.5, (frame.y - 0.805) / 0.10)
    )
    spot = np.exp(-((sx - 0.08) ** 2 / 0.09 + (sy - 0.10) ** 2 / 0.16))
    floor = mix(np.zeros_like(tint) + colour('#05080C'), '#FFE9BC', np.clip(spot * 0.95, 0, 1))
    return _over(tint, alpha, floor, np.clip(dark, 0, 0.85))


def soap_bubbles(frame):
    """Soap bubbles that shimmer."""
    picture = np.zeros((frame.height, frame.width, 3), np.float32) + colour('#FFFFFF')
    alpha = np.zeros_like(frame.x)
    for x, y, radius, seed in (
        (0.44, 0.56, 0.355, 1031),
        (0.815, 0.215, 0.145, 1032),
        (0.865, 0.80, 0.085, 1033),
        (0.145, 0.135, 0.075, 1034),
    ):
        x *= frame.aspect
        u, v = (frame.x - x) / radius, (frame.y - y) / radius
        away = np.hypot(u, v)
        w = np.sqrt(np.clip(1 - away**2, 0, 1))
        warp = fbm(u * 1.1, v * 1.5, 5, seed)
        film = (1.5 + 1.2 * v + 0.9 * warp + 0.25 * fbm(u * 3 + warp, v * 5, 4, seed + 9)) / (
            0.45 + 0.55 * w
        )
        bands = np.stack(
            [
                0.5 + 0.5 * np.cos(2 * np.pi * film * pace + shift)
                for pace, shift in ((0.86, 0.3), (1.0, 0.0), (1.16, -0.2))
            ],
            -1,
        )
        tint = 0.30 + 0.70 * bands
        strength = 0.16 + 0.66 * (1 - w) ** 1.3
        shell = np.exp(-(((away - 0.985) / 0.014) ** 2))
        upper = np.exp(-(((away - 0.80) / 0.045) ** 2)) * np.exp(
            -(((np.arctan2(v, u) + 2.25) / 0.36) ** 2)
        )
        lower = np.exp(-(((away - 0.83) / 0.030) ** 2)) * np.exp(
            -(((np.arctan2(v, u) - 0.85) / 0.30) ** 2)
        )
        spot = np.exp(-((u + 0.33) ** 2 + (v + 0.40) ** 2) / 0.0035)
        gleam = np.clip(0.95 * upper + 0.70 * lower + spot + 0.30 * shell, 0, 1)
        tint = mix(tint.astype(np.float32), '#FFFFFF', gleam)
        cover = np.clip(strength + gleam, 0, 1) * frame.disc(x, y, radius)
        picture, alpha = _over(tint, cover, picture, alpha)
    return picture, alpha
