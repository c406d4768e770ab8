"""Images as rows of RGB bytes: reads PPM and PNG, and compares two images."""

import struct
import zlib


class Image:
    def __init__(self, width, height, rows):
        self.width, self.height, self.rows = width, height, rows

    def cut(self, top, bottom):
        """Returns the rows from `top` up to, but not including, `bottom`."""
        return Image(self.width, bottom - top, self.rows[top:bottom])

    def covered(self, rectangles):
        """Returns the image with black pixels in rectangles (left, top, right, bottom)."""
        rows = list(self.rows)
        for left, top, right, bottom in rectangles:
            for y in range(max(0, top), min(self.height, bottom)):
                start, end = max(0, left), min(self.width, right)
                rows[y] = rows[y][:start * 3] + bytes((end - start) * 3) + rows[y][end * 3:]
        return Image(self.width, self.height, rows)


class Difference:
    """The difference of two images: the mean over all channels (0 to 255), and the fraction of pixels that differ."""

    def __init__(self, mean, fraction):
        self.mean, self.fraction = mean, fraction

    def __str__(self):
        return f"mean difference {self.mean:.4f}, {self.fraction:.4%} of the pixels"


def difference(first, second, give_up=1, levels=0):
    """Compares two images pixel by pixel, which takes a second if all pixels differ. Stops once more than the fraction
    `give_up` of the pixels differ, and then reports the fraction 1. Pixels whose channels differ by at most `levels`
    count as equal."""
    if (first.width, first.height) != (second.width, second.height):
        return Difference(255, 1)
    count = first.width * first.height
    total = pixels = 0
    for a, b in zip(first.rows, second.rows):
        if a == b:
            continue
        if pixels > give_up * count:
            return Difference(255, 1)
        for x in range(0, len(a), 3):
            if a[x:x + 3] != b[x:x + 3]:
                far = [abs(a[x + channel] - b[x + channel]) for channel in range(3)]
                if max(far) > levels:
                    pixels += 1
                    total += sum(far)
    return Difference(total / (3 * count), pixels / count)


def read_ppm(data):
    """Reads a PPM as QEMU's `screendump` writes it: P6, a header without comments, 8 bits per channel."""
    kind, width, height, maximum, pixels = data.split(maxsplit=4) if data[:2] == b"P6" else (b"", 0, 0, 0, b"")
    if kind != b"P6" or int(maximum) != 255:
        raise ValueError("not a PPM image with 8 bits per channel")
    width, height = int(width), int(height)
    # `split` may drop pixels that are equal to white space, so the pixels are taken from the end of the data.
    pixels = data[len(data) - width * height * 3:]
    return Image(width, height, [pixels[y * width * 3:(y + 1) * width * 3] for y in range(height)])


def read_png(data):
    """Reads a PNG as the program writes it: 8 bits per channel, RGB or RGBA, not interlaced. Ignores alpha."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("not a PNG image")
    position, packed, head = 8, b"", None
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position:position + 8])
        body = data[position + 8:position + 8 + length]
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        position += 12 + length
    width, height, bits, color, _, _, interlaced = head
    if bits != 8 or color not in (2, 6) or interlaced:
        raise ValueError("an unsupported kind of PNG image")
    step = 3 if color == 2 else 4
    stride, raw = width * step, zlib.decompress(packed)
    rows, above = [], bytes(stride)
    for y in range(height):
        start = y * (stride + 1)
        above = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + stride]), above, step)
        row = bytes(above)
        if step == 4:
            row = bytes(byte for index, byte in enumerate(row) if index % 4 != 3)
        rows.append(row)
    return Image(width, height, rows)


def unfilter(kind, row, above, step):
    """Reverses the filter of a row (PNG specification, section 9.2)."""
    for index in range(len(row) if kind else 0):
        left = row[index - step] if index >= step else 0
        up = above[index]
        corner = above[index - step] if index >= step else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = up
        elif kind == 3:
            guess = (left + up) // 2
        else:
            estimate = left + up - corner
            guess = min((left, up, corner), key=lambda near: abs(estimate - near))
        row[index] = (row[index] + guess) & 255
    return row


def write_png(image, path):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", image.width, image.height, 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + row for row in image.rows)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))
