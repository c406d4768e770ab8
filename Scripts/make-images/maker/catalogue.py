"""The pictures of the gallery: their order, sizes and file formats."""

from dataclasses import dataclass
from typing import Callable

from . import abstracts, cutouts, mountains, skies, studio, towns, waters, woods

BASELINE, PROGRESSIVE, GREY, TURNED = 'jpeg', 'progressive', 'grey', 'turned'
ALPHA_PNG, PALETTE_PNG = 'alpha-png', 'palette-png'
WEBP, LOSSLESS_WEBP, ALPHA_WEBP = 'webp', 'lossless-webp', 'alpha-webp'
PIXEL_GIF, MOON_GIF = 'pixel-gif', 'moon-gif'

ENDINGS = {
    BASELINE: 'jpg',
    PROGRESSIVE: 'jpg',
    GREY: 'jpg',
    TURNED: 'jpg',
    ALPHA_PNG: 'png',
    PALETTE_PNG: 'png',
    WEBP: 'webp',
    LOSSLESS_WEBP: 'webp',
    ALPHA_WEBP: 'webp',
    PIXEL_GIF: 'gif',
    MOON_GIF: 'gif',
}


@dataclass(frozen=True)
class Picture:
    """One picture of the gallery."""

    title: str
    caption: str
    scene: Callable
    size: tuple
    kind: str = BASELINE

    def file_name(self, number):
        """The file name, such as '07-aurora-over-the-lake.jpg'."""
        words = ''.join(c if c.isalnum() or c in ' -' else '' for c in self.title.lower())
        return f'{number:02}-{"-".join(words.split())}.{ENDINGS[self.kind]}'


GALLERY = (
    Picture('First light', 'Snow peaks at sunrise', mountains.first_light, (1600, 1067)),
    Picture('Bamboo grove', 'Green stems in soft light', woods.bamboo, (1000, 1500)),
    Picture('Sun path', 'A sail on a calm evening sea', waters.sun_path, (1500, 1000), PROGRESSIVE),
    Picture(
        'Aurora over the lake', 'Northern lights, mirrored', waters.aurora, (1600, 1067), PROGRESSIVE
    ),
    Picture('Evening dunes', 'Sand ridges in low sun', mountains.dunes, (1600, 900)),
    Picture('Glass ball', 'Sky and meadow, upside down', cutouts.glass_ball, (800, 800), ALPHA_PNG),
    Picture(
        'City at blue hour', 'Lit towers across the river', towns.city, (2400, 1350), PROGRESSIVE
    ),
    Picture('Balloons at sunrise', 'A fleet above the mist', towns.balloons, (1500, 1000)),
    Picture('Marbled paper', 'Ink blue and cream', abstracts.marbled, (1200, 1200)),
    Picture('The colonnade', 'Arches, stairs and still water', studio.colonnade, (1280, 960)),
    Picture('Under the surface', 'Fish in beams of light', waters.underwater, (1120, 1400)),
    Picture('Birches in October', 'White trunks, yellow leaves', woods.birches, (1000, 1500)),
    Picture('Ringed world', 'A striped giant and its moon', skies.ringed_planet, (1600, 900)),
    Picture('Fields in June', 'Hills like patchwork', mountains.fields, (1500, 1000)),
    Picture('Seahorse valley', 'A spiral of the Julia set', abstracts.julia, (1200, 900)),
    Picture('The canyon', 'Red cliffs above the river', mountains.canyon, (1400, 1050)),
    Picture('Snow shadows', 'Firs on a bright winter slope', mountains.snowfield, (1500, 1000)),
    Picture('Autumn leaf', 'Glowing veins, cut out', cutouts.leaf, (800, 800), ALPHA_PNG),
    Picture('Milky way', 'A tent below the stars', mountains.night_ridge, (1000, 1500)),
    Picture('Morning sails', 'Boats in the quiet bay', waters.sails, (1200, 900), WEBP),
    Picture('Volcano', 'Lava by night', mountains.volcano, (1200, 900)),
    Picture(
        'Blue ridges', 'Wooded hills, fold after fold', mountains.blue_ridges, (2400, 800), PROGRESSIVE
    ),
    Picture('Still life', 'Painted spheres and a ring', studio.still_life, (1200, 900)),
    Picture("The keeper's light", 'A beam from the cliff', waters.lighthouse, (960, 1440), TURNED),
    Picture(
        'Palm island', 'Two palms before the sun', waters.palm_island, (1024, 768), PALETTE_PNG
    ),
    Picture('Peak above the clouds', 'Black and white', mountains.grey_peak, (1400, 1050), GREY),
    Picture('Lavender', 'Purple rows to the horizon', woods.lavender, (1500, 1000)),
    Picture('Lone balloon', 'Striped silk, cut out', cutouts.lone_balloon, (700, 900), ALPHA_PNG),
    Picture('Pines in the fog', 'Light falls through the trees', woods.pines_in_fog, (1000, 1500)),
    Picture('Rose window', 'Stained glass, ring by ring', abstracts.stained_glass, (1000, 1000)),
    Picture(
        'Sea of clouds', 'Pink billows, seen from above', skies.cloud_sea, (2400, 1600), PROGRESSIVE
    ),
    Picture(
        'Moonlit valley', 'A fjord under the full moon', mountains.moonlit_valley, (1500, 1000)
    ),
    Picture('Meeting rings', 'Waves that cross', abstracts.interference, (600, 600), LOSSLESS_WEBP),
    Picture('Red mesas', 'Desert tables at dusk', mountains.mesa, (1600, 900)),
    Picture('Rain on the window', 'City lights behind drops', towns.rain_window, (1080, 1440)),
    Picture('Currents', 'Lines that follow a flow', abstracts.flow_field, (1200, 900)),
    Picture(
        'The old tree', 'An acacia in the last light', woods.old_tree, (1500, 1000), PROGRESSIVE
    ),
    Picture('Soap bubbles', 'Four shimmering films', cutouts.soap_bubbles, (800, 600), ALPHA_WEBP),
    Picture('Northern cabins', 'Lit windows in the snow', waters.cabins, (1600, 1067)),
    Picture('Nebula', 'Glowing dust and young stars', skies.nebula, (1200, 900), WEBP),
    Picture(
        'Evening in pixels', 'Purple mountains, large dots', skies.evening_pixels, (400, 300), PIXEL_GIF
    ),
    Picture('Planet and ring', 'Pale blue, cut out', cutouts.lone_planet, (1000, 640), ALPHA_PNG),
    Picture('Quicksilver', 'Drops that melt together', studio.quicksilver, (1200, 900)),
    Picture(
        'Twelve nights of the moon', 'From full to new and back', skies.moon_phase, (400, 400), MOON_GIF
    ),
)
