"""Writes pictures in the file formats of the gallery."""

import numpy as np
from PIL import Image

from .canvas import Frame, encode, finish, resize

ORIENTATION_TAG = 0x0112
TURNED_RIGHT = 6
QUALITY = 84
LARGE = 2000


def render(scene, size, sampling=None, **look):
    """Paint a scene larger than the requested size and scale the result down to an opaque image."""
    width, height = size
    sampling = sampling or (1.4 if width < LARGE else 1.15)
    picture = scene(Frame(round(width * sampling), round(height * sampling)))
    return finish(resize(picture, width, height), **look)


def render_cutout(scene, size, sampling=2.0):
    """Paint a scene with transparency and scale the result down to an RGBA image."""
    width, height = size
    tint, alpha = scene(Frame(round(width * sampling), round(height * sampling)))
    weighted = resize(tint * alpha[..., None], width, height)
    alpha = np.clip(resize(alpha, width, height), 0, 1)
    tint = encode(weighted / np.maximum(alpha, 1e-4)[..., None])
    tint = np.where(alpha[..., None] > 0.002, tint, 0)
    levels = np.rint(np.dstack([tint, alpha]) * 255).astype(np.uint8)
    return Image.fromarray(levels)


def save_jpeg(image, path, quality=QUALITY, **options):
    image.save(path, 'JPEG', quality=quality, subsampling='4:2:0', optimize=True, **options)


def save_progressive(image, path):
    save_jpeg(image, path, progressive=True)


def save_grey(image, path):
    image.convert('L').save(path, 'JPEG', quality=QUALITY, optimize=True)


def save_turned(image, path):
    """Save the picture rotated, with the EXIF orientation that makes it upright."""
    exif = Image.Exif()
    exif[ORIENTATION_TAG] = TURNED_RIGHT
    save_jpeg(image.transpose(Image.Transpose.ROTATE_90), path, exif=exif)


def save_png(image, path):
    image.save(path, 'PNG', optimize=True)


def save_palette_png(image, path):
    image.quantize(64, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
        path, 'PNG', optimize=True
    )


def save_webp(image, path):
    image.save(path, 'WEBP', quality=82, method=6)


def save_lossless_webp(image, path):
    image.save(path, 'WEBP', lossless=True, quality=90, method=6)


def save_gif(image, path):
    image.quantize(48, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(path, 'GIF')


def save_animated_gif(images, path, milliseconds):
    """Save frames that share one palette as an endless animation."""
    width, height = images[0].size
    strip = Image.new('RGB', (width, height * len(images)))
    for index, image in enumerate(images):
        strip.paste(image, (0, height * index))
    palette = strip.quantize(64, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    frames = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    frames[0].save(
        path, 'GIF', save_all=True, append_images=frames[1:], duration=milliseconds, loop=0
    )


def describe(path):
    """Return a short description of a picture file, read from the file."""
    with Image.open(path) as image:
        width, height = image.size
        frames = getattr(image, 'n_frames', 1)
        if image.getexif().get(ORIENTATION_TAG) == TURNED_RIGHT:
            width, height = height, width
            kind = 'JPEG turned by its EXIF note'
        elif image.format == 'JPEG':
            kind = 'Progressive JPEG' if image.info.get('progressive') else 'Baseline JPEG'
            kind = 'Greyscale JPEG' if image.mode == 'L' else kind
        elif image.format == 'PNG':
            kind = {'P': 'Palette PNG', 'RGBA': 'PNG with alpha'}.get(image.mode, 'PNG')
        elif image.format == 'WEBP':
            lossless = b'VP8L' in path.read_bytes()[:64]
            kind = 'Lossless WebP' if lossless else 'WebP'
            kind = 'WebP with alpha' if image.mode == 'RGBA' else kind
        else:
            kind = f'Animated GIF, {frames} frames' if frames > 1 else 'GIF'
    return f'{kind}, {width} x {height}'
