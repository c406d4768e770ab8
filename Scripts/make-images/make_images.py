"""Makes all pictures of the demo: the gallery, the button states and the marks.

Run it from anywhere:

    python3 make_images.py            all pictures
    python3 make_images.py dunes      only pictures whose file name contains "dunes"

The script needs Python 3.10 or newer, numpy and pillow. All noise is seeded, so
each run makes equal pictures. The script writes into the folder Assets:

    gallery/   pictures of many sizes and file formats, and titles.tsv with the
               file name, the title, a caption and the format of each file
    buttons/   icons, plates and scenes in the states normal, highlighted,
               selected and disabled, the signs and round plates of the media
               bar, and a portrait
    ui/        the marks for failed and loading images, and the app icon

The scenes are in the `maker` package.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from maker import catalogue, controls, files, skies, towns

ROOT = Path(__file__).resolve().parents[2] / 'Assets'
GALLERY, BUTTONS, MARKS = ROOT / 'gallery', ROOT / 'buttons', ROOT / 'ui'
SCENE_HOURS = {'normal': 'noon', 'highlighted': 'dusk', 'selected': 'night', 'disabled': 'fog'}
MOON_FRAMES = 12
DOT = 4

SAVERS = {
    catalogue.BASELINE: files.save_jpeg,
    catalogue.PROGRESSIVE: files.save_progressive,
    catalogue.GREY: files.save_grey,
    catalogue.TURNED: files.save_turned,
    catalogue.PALETTE_PNG: files.save_palette_png,
    catalogue.WEBP: files.save_webp,
    catalogue.LOSSLESS_WEBP: files.save_lossless_webp,
}
LOOKS = {
    catalogue.PALETTE_PNG: {'grain': 0.0, 'vignette': 0.0, 'dither': False},
    catalogue.LOSSLESS_WEBP: {'grain': 0.0, 'dither': False},
}


def make_moon(picture, path):
    """The moon from full to new and back, as an animation."""
    images = []
    for index in range(MOON_FRAMES):
        angle = np.pi + 2 * np.pi * index / MOON_FRAMES
        images.append(
            files.render(
                lambda frame: skies.moon_phase(frame, angle), picture.size, grain=0.0, dither=False
            )
        )
    files.save_animated_gif(images, path, 220)


def make_pixels(picture, path):
    """A picture made of large squares."""
    width, height = picture.size
    small = files.render(picture.scene, (width // DOT, height // DOT), 4, grain=0.0, dither=False)
    files.save_gif(small.resize(picture.size, Image.Resampling.NEAREST), path)


def make_picture(picture, path):
    """Paint one picture of the gallery and save it."""
    if picture.kind == catalogue.MOON_GIF:
        make_moon(picture, path)
    elif picture.kind == catalogue.PIXEL_GIF:
        make_pixels(picture, path)
    elif picture.kind == catalogue.ALPHA_PNG:
        files.save_png(files.render_cutout(picture.scene, picture.size), path)
    elif picture.kind == catalogue.ALPHA_WEBP:
        files.save_webp(files.render_cutout(picture.scene, picture.size), path)
    else:
        image = files.render(picture.scene, picture.size, **LOOKS.get(picture.kind, {}))
        SAVERS[picture.kind](image, path)


def button_makers():
    """Yield the path and the maker of each picture in buttons/ and ui/."""

    def cutout(path, scene, size):
        return path, lambda: files.save_png(files.render_cutout(scene, size, 4), path)

    def mark(path, scene):
        """A glyph with a wide margin, so that the glyph stays small in a large slot."""
        glyph = files.render_cutout(scene, (160, 120), 4)
        return path, lambda: files.save_png(ImageOps.expand(glyph, (120, 90)), path)

    def photo(path, scene, size):
        return path, lambda: files.save_jpeg(files.render(scene, size), path)

    for state in controls.STATES:
        for name in controls.ACCENTS:
            yield cutout(
                BUTTONS / f'{name}-{state}.png',
                lambda frame, name=name, state=state: controls.icon(frame, name, state),
                (96, 96),
            )
        yield cutout(
            BUTTONS / f'plate-{state}.png',
            lambda frame, state=state: controls.plate(frame, state),
            (480, 144),
        )
        hour = SCENE_HOURS[state]
        yield photo(
            BUTTONS / f'scene-{state}.jpg',
            lambda frame, hour=hour: towns.village(frame, hour),
            (640, 400),
        )
    for name in controls.MEDIA:
        for state in controls.MEDIA_TINTS:
            yield cutout(
                BUTTONS / f'media-{name}-{state}.png',
                lambda frame, name=name, state=state: controls.media(frame, name, state),
                (96, 96),
            )
    for state in controls.ROUND_STATES:
        yield cutout(
            BUTTONS / f'round-{state}.png',
            lambda frame, state=state: controls.round_plate(frame, state),
            (144, 144),
        )
    yield photo(BUTTONS / 'portrait.jpg', controls.owl, (800, 800))
    yield mark(MARKS / 'failure.png', controls.failure)
    yield mark(MARKS / 'placeholder.png', controls.placeholder)
    yield cutout(MARKS / 'icon.png', controls.app_icon, (256, 256))


def write_titles():
    """Write the list of titles of the existing pictures."""
    lines = []
    for number, picture in enumerate(catalogue.GALLERY, 1):
        path = GALLERY / picture.file_name(number)
        if path.exists():
            fields = path.name, picture.title, picture.caption, files.describe(path)
            lines.append('\t'.join(fields) + '\n')
    (GALLERY / 'titles.tsv').write_text(''.join(lines), encoding='utf-8')


def main(wanted):
    for folder in (GALLERY, BUTTONS, MARKS):
        folder.mkdir(exist_ok=True)
    for number, picture in enumerate(catalogue.GALLERY, 1):
        path = GALLERY / picture.file_name(number)
        if any(part in path.name for part in wanted):
            make_picture(picture, path)
            print(f'{path.stat().st_size / 1e3:8.0f} kB  {path.relative_to(ROOT)}', flush=True)
    for path, make in button_makers():
        if any(part in path.name for part in wanted):
            make()
            print(f'{path.stat().st_size / 1e3:8.0f} kB  {path.relative_to(ROOT)}', flush=True)
    write_titles()
    made = [path for folder in (GALLERY, BUTTONS, MARKS) for path in folder.iterdir()]
    total = sum(path.stat().st_size for path in made)
    print(f'{len(made)} files, {total / 1e6:.2f} MB in total')


if __name__ == '__main__':
    main(sys.argv[1:] or [''])
