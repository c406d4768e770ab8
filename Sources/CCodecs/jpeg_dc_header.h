// Reads the header of a JPEG, up to its first scan (ITU T.81, annex B), for images of which only means are read. libjpeg
// takes longer, and keeps more in memory. What is accepted, libjpeg reads in the same way; the rest is refused, and left to
// libjpeg.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
  /// The maximum number of tables of a kind.
  vitrine_dc_table_limit = 4,
  /// The maximum number of components.
  vitrine_dc_component_limit = 3,
  /// The largest width and height, as in libjpeg.
  vitrine_dc_side_limit = 65500,
  /// The number of samples of a block, and of factors of a quantization table.
  vitrine_dc_block_samples = 64,
};

typedef struct {
  bool is_present;
  /// In the order of the file (ITU T.81, A.3.6).
  uint16_t factors[vitrine_dc_block_samples];
} vitrine_dc_quantizers;

/// A Huffman table, as it is stored in a file.
typedef struct {
  bool is_present;
  /// For each length of 1 to 16 bits, the number of codes.
  uint8_t counts[17];
  /// The values in the order of their codes.
  uint8_t values[256];
} vitrine_dc_huffman;

typedef struct {
  int identifier;
  /// The sampling factors, 1 to 4.
  int horizontal, vertical;
  /// The numbers of the tables, 0 to 3.
  int quantizers, dc, ac;
} vitrine_dc_component;

typedef struct {
  unsigned width, height;
  bool is_progressive;
  /// 1 for gray, or 3 for YCbCr. The first scan has all of them.
  int component_count;
  vitrine_dc_component components[vitrine_dc_component_limit];
  vitrine_dc_quantizers quantizers[vitrine_dc_table_limit];
  vitrine_dc_huffman dc[vitrine_dc_table_limit], ac[vitrine_dc_table_limit];
  /// The number of MCUs between the restart markers of the first scan; zero for none.
  unsigned restart_interval;
  /// The first and the last coefficient of the first scan.
  int first_coefficient, last_coefficient;
  /// The number of lowest bits that the scans so far leave out: before the first scan, and after it.
  int missing_before, missing_bits;
  bool has_jfif, has_adobe;
  /// The transform of the colors that an Adobe marker states.
  int adobe_transform;
  /// The offset of the codes of the first scan.
  size_t codes_offset;
} vitrine_dc_header;

/// Bytes that have not been read.
typedef struct {
  const uint8_t *next, *end;
} vitrine_dc_bytes;

static inline size_t vitrine_dc_rest(const vitrine_dc_bytes *bytes) { return (size_t)(bytes->end - bytes->next); }

/// Reads a number of two bytes. Returns -1 if fewer bytes are left.
static inline int vitrine_dc_read_number(vitrine_dc_bytes *bytes) {
  if (vitrine_dc_rest(bytes) < 2) return -1;
  bytes->next += 2;
  return bytes->next[-2] << 8 | bytes->next[-1];
}

/// Reads the next marker, which any number of bytes 0xFF may precede. As in libjpeg, other bytes before it are skipped.
/// Returns -1 if there is none.
static inline int vitrine_dc_read_marker(vitrine_dc_bytes *bytes) {
  while (vitrine_dc_rest(bytes) > 0) {
    bool follows_mark = false;
    while (vitrine_dc_rest(bytes) > 0 && *bytes->next == 0xFF) {
      follows_mark = true;
      bytes->next++;
    }
    if (vitrine_dc_rest(bytes) == 0) return -1;
    int marker = *bytes->next++;
    if (follows_mark && marker != 0) return marker;
  }
  return -1;
}

/// Reads a segment after its marker. Returns false if it does not end within the bytes.
static inline bool vitrine_dc_read_segment(vitrine_dc_bytes *bytes, vitrine_dc_bytes *segment) {
  int length = vitrine_dc_read_number(bytes);
  if (length < 2 || vitrine_dc_rest(bytes) < (size_t)length - 2) return false;
  segment->next = bytes->next;
  bytes->next += length - 2;
  segment->end = bytes->next;
  return true;
}

static inline bool vitrine_dc_read_quantizers(vitrine_dc_header *header, vitrine_dc_bytes segment) {
  while (vitrine_dc_rest(&segment) > 0) {
    int size = (*segment.next >> 4) + 1, number = *segment.next & 15;
    segment.next++;
    if (size > 2 || number >= vitrine_dc_table_limit
        || vitrine_dc_rest(&segment) < (size_t)(vitrine_dc_block_samples * size))
      return false;
    vitrine_dc_quantizers *table = header->quantizers + number;
    table->is_present = true;
    for (int index = 0; index < vitrine_dc_block_samples; index++) {
      table->factors[index] = size == 2 ? (uint16_t)vitrine_dc_read_number(&segment) : *segment.next;
      if (size == 1) segment.next++;
    }
  }
  return true;
}

static inline bool vitrine_dc_read_huffman_tables(vitrine_dc_header *header, vitrine_dc_bytes segment) {
  while (vitrine_dc_rest(&segment) > 0) {
    int kind = *segment.next >> 4, number = *segment.next & 15;
    segment.next++;
    if (kind > 1 || number >= vitrine_dc_table_limit || vitrine_dc_rest(&segment) < 16) return false;
    vitrine_dc_huffman *table = kind == 0 ? header->dc + number : header->ac + number;
    memset(table, 0, sizeof *table);
    table->is_present = true;
    memcpy(table->counts + 1, segment.next, 16);
    segment.next += 16;
    size_t count = 0;
    for (int length = 1; length <= 16; length++) count += table->counts[length];
    if (count > sizeof table->values || count > vitrine_dc_rest(&segment)) return false;
    memcpy(table->values, segment.next, count);
    segment.next += count;
  }
  return true;
}

static inline bool vitrine_dc_read_frame(vitrine_dc_header *header, vitrine_dc_bytes segment) {
  if (header->component_count > 0 || vitrine_dc_rest(&segment) < 6) return false;
  const uint8_t *fields = segment.next;
  header->height = (unsigned)(fields[1] << 8 | fields[2]);
  header->width = (unsigned)(fields[3] << 8 | fields[4]);
  int count = fields[5];
  bool is_known = fields[0] == 8 && (count == 1 || count == vitrine_dc_component_limit);
  if (!is_known || vitrine_dc_rest(&segment) != 6 + 3 * (size_t)count || header->width == 0 || header->height == 0
      || header->width > vitrine_dc_side_limit || header->height > vitrine_dc_side_limit)
    return false;
  header->component_count = count;
  for (int index = 0; index < count; index++) {
    const uint8_t *values = fields + 6 + 3 * index;
    vitrine_dc_component *component = header->components + index;
    component->identifier = values[0];
    component->horizontal = values[1] >> 4;
    component->vertical = values[1] & 15;
    component->quantizers = values[2];
    if (component->horizontal < 1 || component->horizontal > 4 || component->vertical < 1 || component->vertical > 4
        || component->quantizers >= vitrine_dc_table_limit)
      return false;
  }
  return true;
}

/// Reads the header of the first scan. Returns false if components are missing, or in another order than in the frame.
static inline bool vitrine_dc_read_scan_header(vitrine_dc_header *header, vitrine_dc_bytes segment) {
  int count = header->component_count;
  if (count == 0 || vitrine_dc_rest(&segment) != 4 + 2 * (size_t)count || *segment.next != count) return false;
  const uint8_t *fields = segment.next + 1;
  for (int index = 0; index < count; index++, fields += 2) {
    vitrine_dc_component *component = header->components + index;
    component->dc = fields[1] >> 4;
    component->ac = fields[1] & 15;
    if (fields[0] != component->identifier || component->dc >= vitrine_dc_table_limit
        || component->ac >= vitrine_dc_table_limit)
      return false;
  }
  header->first_coefficient = fields[0];
  header->last_coefficient = fields[1];
  header->missing_before = fields[2] >> 4;
  header->missing_bits = fields[2] & 15;
  return true;
}

/// Reads application data that state the color space, as libjpeg does.
static inline void vitrine_dc_read_application(vitrine_dc_header *header, int marker, vitrine_dc_bytes segment) {
  size_t count = vitrine_dc_rest(&segment);
  if (marker == 0xE0 && count >= 14 && memcmp(segment.next, "JFIF", 5) == 0) header->has_jfif = true;
  if (marker != 0xEE || count < 12 || memcmp(segment.next, "Adobe", 5) != 0) return;
  header->has_adobe = true;
  header->adobe_transform = segment.next[11];
}

/// Returns true for one gray component, and for three that libjpeg takes for YCbCr.
static inline bool vitrine_dc_has_usual_colors(const vitrine_dc_header *header) {
  if (header->component_count == 1 || header->has_jfif) return true;
  if (header->has_adobe) return header->adobe_transform != 0;
  const vitrine_dc_component *components = header->components;
  return components[0].identifier != 'R' || components[1].identifier != 'G' || components[2].identifier != 'B';
}

/// Reads the segments up to the codes of the first scan. Returns false for a header that is unusual, damaged or not
/// complete.
static inline bool vitrine_dc_read_header(const uint8_t *file, size_t count, vitrine_dc_header *header) {
  memset(header, 0, sizeof *header);
  if (!file) return false;
  vitrine_dc_bytes bytes = {file, file + count}, segment;
  if (vitrine_dc_read_number(&bytes) != 0xFFD8) return false;
  for (;;) {
    int marker = vitrine_dc_read_marker(&bytes);
    // Markers without a segment.
    if (marker == 0x01 || (marker >= 0xD0 && marker <= 0xD7)) continue;
    if (marker < 0 || !vitrine_dc_read_segment(&bytes, &segment)) return false;
    switch (marker) {
      case 0xC0: case 0xC1: case 0xC2:
        header->is_progressive = marker == 0xC2;
        if (!vitrine_dc_read_frame(header, segment)) return false;
        break;
      case 0xC4:
        if (!vitrine_dc_read_huffman_tables(header, segment)) return false;
        break;
      case 0xDA:
        header->codes_offset = (size_t)(bytes.next - file);
        return vitrine_dc_read_scan_header(header, segment) && vitrine_dc_has_usual_colors(header);
      case 0xDB:
        if (!vitrine_dc_read_quantizers(header, segment)) return false;
        break;
      case 0xDD: {
        if (vitrine_dc_rest(&segment) != 2) return false;
        header->restart_interval = (unsigned)vitrine_dc_read_number(&segment);
        break;
      }
      default:
        // The data of applications, and comments.
        if (marker < 0xE0 || (marker > 0xEF && marker != 0xFE)) return false;
        vitrine_dc_read_application(header, marker, segment);
    }
  }
}
