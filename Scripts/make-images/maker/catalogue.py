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
    scene: Callable
    size: tuple
    kind: str = BASELINE

    def file_name(self, number):
        """The file name, such as '07-aurora-over-the-lake.jpg'."""
        words = ''.join(c if c.isalnum() or c in ' -' else '' for c in self.title.lower())
        return f'{number:02}-{"-".join(words.split())}.{ENDINGS[self.kind]}'


GALLERY = (
    Picture('First light', mountains.first_light, (1600, 1067)),
    Picture('Bamboo grove', woods.bamboo, (1000, 1500)),
    Picture('Sun path', waters.sun_path, (1500, 1000), PROGRESSIVE),
    Picture('Aurora over the lake', waters.aurora, (1600, 1067), PROGRESSIVE),
    Picture('Evening dunes', mountains.dunes, (1600, 900)),
    Picture('Glass ball', cutouts.glass_ball, (800, 800), ALPHA_PNG),
    Picture('City at blue hour', towns.city, (2400, 1350), PROGRESSIVE),
    Picture('Balloons at sunrise', towns.balloons, (1500, 1000)),
    Picture('Marbled paper', abstracts.marbled, (1200, 1200)),
    Picture('The colonnade', studio.colonnade, (1280, 960)),
    Picture('Under the surface', waters.underwater, (1120, 1400)),
    Picture('Birches in October', woods.birches, (1000, 1500)),
    Picture('Ringed world', skies.ringed_planet, (1600, 900)),
    Picture('Fields in June', mountains.fields, (1500, 1000)),
    Picture('Seahorse valley', abstracts.julia, (1200, 900)),
    Picture('The canyon', mountains.canyon, (1400, 1050)),
    Picture('Snow shadows', mountains.snowfield, (1500, 1000)),
    Picture('Autumn leaf', cutouts.leaf, (800, 800), ALPHA_PNG),
    Picture('Milky way', mountains.night_ridge, (1000, 1500)),
    Picture('Morning sails', waters.sails, (1200, 900), WEBP),
    Picture('Volcano', mountains.volcano, (1200, 900)),
    Picture('Blue ridges', mountains.blue_ridges, (2400, 800), PROGRESSIVE),
    Picture('Still life', studio.still_life, (1200, 900)),
    Picture("The keeper's light", waters.lighthouse, (960, 1440), TURNED),
    Picture('Palm island', waters.palm_island, (1024, 768), PALETTE_PNG),
    Picture('Peak above the clouds', mountains.grey_peak, (1400, 1050), GREY),
    Picture('Lavender', woods.lavender, (1500, 1000)),
    Picture('Lone balloon', cutouts.lone_balloon, (700, 900), ALPHA_PNG),
    Picture('Pines in the fog', woods.pines_in_fog, (1000, 1500)),
    Picture('Rose window', abstracts.stained_glass, (1000, 1000)),
    Picture('Sea of clouds', skies.cloud_sea, (2400, 1600), PROGRESSIVE),
    Picture('Moonlit valley', mountains.moonlit_valley, (1500, 1000)),
    Picture('Meeting rings', abstracts.interference, (600, 600), LOSSLESS_WEBP),
    Picture('Red mesas', mountains.mesa, (1600, 900)),
    Picture('Rain on the window', towns.rain_window, (1080, 1440)),
    Picture('Currents', abstracts.flow_field, (1200, 900)),
    Picture('The old tree', woods.old_tree, (1500, 1000), PROGRESSIVE),
    Picture('Soap bubbles', cutouts.soap_bubbles, (800, 600), ALPHA_WEBP),
    Picture('Northern cabins', waters.cabins, (1600, 1067)),
    Picture('Nebula', skies.nebula, (1200, 900), WEBP),
    Picture('Evening in pixels', skies.evening_pixels, (400, 300), PIXEL_GIF),
    Picture('Planet and ring', cutouts.lone_planet, (1000, 640), ALPHA_PNG),
    Picture('Quicksilver', studio.quicksilver, (1200, 900)),
    Picture('Twelve nights of the moon', skies.moon_phase, (400, 400), MOON_GIF),
)
