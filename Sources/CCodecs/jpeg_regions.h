// Copies a rectangle of the MCUs of a baseline JPEG into a JPEG of its own, so that libjpeg decodes a part of a large
// image without the rest. An index of positions in the scan, made once, tells where the rectangle's rows begin.
//
// The AC codes are copied bit by bit. The DC codes are written with a table of their own, because the differences at
// the left edge of the rectangle may have no code in the file's table. Restart markers are left out.
#pragma once
#include "jpeg_dc.h"

/// Reads up to `count` bytes of a file from `offset` on. Returns the number of bytes read; 0 at the end of the file, and
/// if reading fails.
typedef size_t (*vitrine_jpeg_read)(void *context, uint64_t offset, uint8_t *bytes, size_t count);

/// The place at which an MCU begins.
typedef struct {
  /// The position in bits from the beginning of the file, in which the zeros after 0xFF count.
  uint64_t position;
  /// The DC coefficients of the blocks before, for each component.
  int16_t means[3];
} vitrine_jpeg_point;

enum {
  /// The number of MCUs from one point of a row to the next.
  vitrine_jpeg_point_step = 16,
  /// Enough for two fills of a window from bytes that are all followed by a zero.
  vitrine_jpeg_chunk_bytes = 6 * vitrine_dc_window_bytes,
  /// The largest number of extra bits that libjpeg accepts for a DC coefficient.
  vitrine_jpeg_largest_size = 15,
  /// The maximum number of bytes of the markers of a part.
  vitrine_jpeg_markers_bytes = 2048,
};

/// A scan that is read from its file in chunks.
typedef struct {
  vitrine_dc_source source;
  vitrine_jpeg_read read;
  void *context;
  /// The offset in the file after the bytes of the chunk.
  uint64_t offset;
  /// The offset in the file of a byte of the window, and the index of this byte, so that zeros are counted once.
  uint64_t known_offset;
  size_t known;
  bool is_at_end;
  uint8_t chunk[vitrine_jpeg_chunk_bytes];
} vitrine_jpeg_scan;

/// The positions in the scan of a baseline JPEG. Not changed once it has been built, so that any number of threads may
/// read it.
typedef struct {
  /// The layout and the tables; its planes have no samples.
  vitrine_dc_image *image;
  vitrine_dc_header header;
  /// The points of each row of MCUs, of which there are `points_per_row`, and the end of the scan.
  vitrine_jpeg_point *points;
  size_t points_per_row;
} vitrine_jpeg_index;

static inline void vitrine_jpeg_index_close(vitrine_jpeg_index *index) {
  if (!index) return;
  vitrine_dc_close(index->image);
  free(index->points);
  free(index);
}

/// Returns the number of points, without the one at the end of the scan.
static inline size_t vitrine_jpeg_index_point_count(const vitrine_jpeg_index *index) {
  return index->points_per_row * index->image->rows;
}

/// Returns the number of bytes of an index.
static inline size_t vitrine_jpeg_index_bytes(const vitrine_jpeg_index *index) {
  return sizeof *index + sizeof *index->image
         + (vitrine_jpeg_index_point_count(index) + 1) * sizeof(vitrine_jpeg_point);
}

/// Returns an index without positions, or null if the image is unusual or memory is short. `bytes` are the first bytes of
/// the file, with the header. The caller must close the index.
static inline vitrine_jpeg_index *vitrine_jpeg_index_open(const uint8_t *bytes, size_t count) {
  vitrine_jpeg_index *index = (vitrine_jpeg_index *)calloc(1, sizeof *index);
  if (!index) return NULL;
  if (vitrine_dc_read_header(bytes, count, &index->header))
    index->image = vitrine_dc_prepare(&index->header, false, 1);
  if (!index->image) {
    vitrine_jpeg_index_close(index);
    return NULL;
  }
  index->points_per_row = (index->image->columns + vitrine_jpeg_point_step - 1) / vitrine_jpeg_point_step;
  index->points = (vitrine_jpeg_point *)calloc(vitrine_jpeg_index_point_count(index) + 1, sizeof(vitrine_jpeg_point));
  if (!index->points) {
    vitrine_jpeg_index_close(index);
    return NULL;
  }
  return index;
}

// MARK: Reading a scan

/// Fills the chunk if a fill of the window, or two around a restart marker, may need more bytes than are left.
static inline void vitrine_jpeg_scan_load(vitrine_jpeg_scan *scan) {
  size_t rest = (size_t)(scan->source.end - scan->source.next);
  if (scan->is_at_end || rest > 5 * vitrine_dc_window_bytes) return;
  memmove(scan->chunk, scan->source.next, rest);
  while (rest < sizeof scan->chunk) {
    size_t room = sizeof scan->chunk - rest;
    size_t count = scan->read(scan->context, scan->offset, scan->chunk + rest, room);
    if (count == 0 || count > room) {
      scan->is_at_end = true;
      break;
    }
    scan->offset += count;
    rest += count;
  }
  scan->source.next = scan->chunk;
  scan->source.end = scan->chunk + rest;
}

/// Notes the offset of the window's first byte, after the window has been filled from an empty one.
static inline void vitrine_jpeg_scan_locate(vitrine_jpeg_scan *scan) {
  const vitrine_dc_source *source = &scan->source;
  size_t zeros = 0;
  for (size_t at = 0; at < source->count; at++) zeros += source->window[at] == 0xFF;
  scan->known = 0;
  scan->known_offset = scan->offset - (uint64_t)(source->end - source->next) - source->count - zeros;
}

/// Returns the present position in the file, in bits.
static inline uint64_t vitrine_jpeg_scan_position(vitrine_jpeg_scan *scan) {
  const vitrine_dc_source *source = &scan->source;
  size_t first = source->position >> 3, zeros = 0;
  for (size_t at = scan->known; at < first; at++) zeros += source->window[at] == 0xFF;
  scan->known_offset += first - scan->known + zeros;
  scan->known = first;
  return scan->known_offset << 3 | (source->position & 7);
}

/// Fills the window.
static inline void vitrine_jpeg_scan_fill(vitrine_jpeg_scan *scan) {
  vitrine_jpeg_scan_load(scan);
  vitrine_jpeg_scan_position(scan);
  vitrine_dc_fill(&scan->source);
  // The bytes before the position have been removed.
  scan->known = 0;
}

/// Moves to a position of the file, in bits.
static inline void vitrine_jpeg_scan_seek(vitrine_jpeg_scan *scan, uint64_t position) {
  scan->offset = position >> 3;
  scan->is_at_end = false;
  scan->source.next = scan->source.end = scan->chunk;
  scan->source.is_last = false;
  scan->source.count = scan->source.position = scan->known = 0;
  scan->known_offset = position >> 3;
  vitrine_jpeg_scan_fill(scan);
  scan->source.position = position & 7;
}

/// Prepares reading the MCU with this number: goes on after a restart marker, and fills the window. Returns false if the
/// data are damaged.
static inline bool vitrine_jpeg_scan_begin_mcu(
    vitrine_jpeg_scan *scan, const vitrine_dc_image *image, uint64_t number, uint32_t *means) {
  vitrine_dc_source *source = &scan->source;
  unsigned interval = image->restart_interval;
  if (interval > 0 && number > 0 && number % interval == 0) {
    vitrine_jpeg_scan_load(scan);
    if (!vitrine_dc_restart(source, (unsigned)((number / interval - 1) & 7))) return false;
    vitrine_jpeg_scan_locate(scan);
    memset(means, 0, 3 * sizeof *means);
  }
  if (!source->is_last && source->position + 8 * vitrine_dc_mcu_bytes > source->count * 8)
    vitrine_jpeg_scan_fill(scan);
  return true;
}

/// Reads an MCU without keeping anything. Returns false if the data are damaged.
static inline bool vitrine_jpeg_scan_skip_mcu(vitrine_jpeg_scan *scan, const vitrine_dc_image *image, uint32_t *means) {
  vitrine_dc_source *source = &scan->source;
  for (int index = 0; index < image->plane_count; index++) {
    const vitrine_dc_plane *plane = image->planes + index;
    for (int block = 0; block < plane->horizontal * plane->vertical; block++) {
      if (!vitrine_dc_read_block(
              source->window, &source->position, image->dc + plane->dc, image->ac + plane->ac, means + index)
          || vitrine_dc_sample(means[index], plane->quantizers[0]) < 0)
        return false;
    }
  }
  // The MCU may have ended in the zeros after the data.
  return source->position <= source->count * 8;
}

/// Returns a scan to read, or null. The caller frees it.
static inline vitrine_jpeg_scan *vitrine_jpeg_scan_open(vitrine_jpeg_read read, void *context) {
  vitrine_jpeg_scan *scan = (vitrine_jpeg_scan *)malloc(sizeof *scan);
  if (!scan) return NULL;
  scan->read = read;
  scan->context = context;
  return scan;
}

/// Notes the positions of all points. Refuses damaged data.
static inline vitrine_dc_result vitrine_jpeg_index_build(
    vitrine_jpeg_index *index, vitrine_jpeg_read read, void *context, bool (*is_cancelled)(void *context)) {
  vitrine_jpeg_scan *scan = vitrine_jpeg_scan_open(read, context);
  if (!scan) return vitrine_dc_refused;
  const vitrine_dc_image *image = index->image;
  vitrine_jpeg_scan_seek(scan, (uint64_t)index->image->codes_offset << 3);
  vitrine_dc_result result = vitrine_dc_complete;
  uint32_t means[3] = {0, 0, 0};
  for (unsigned row = 0; row < image->rows && result == vitrine_dc_complete; row++) {
    if (row % 8 == 0 && is_cancelled(context)) {
      result = vitrine_dc_cancelled;
      break;
    }
    for (unsigned column = 0; column < image->columns; column++) {
      uint64_t number = (uint64_t)row * image->columns + column;
      if (!vitrine_jpeg_scan_begin_mcu(scan, image, number, means)) {
        result = vitrine_dc_refused;
        break;
      }
      if (column % vitrine_jpeg_point_step == 0) {
        vitrine_jpeg_point *point =
            index->points + (size_t)row * index->points_per_row + column / vitrine_jpeg_point_step;
        point->position = vitrine_jpeg_scan_position(scan);
        for (int plane = 0; plane < 3; plane++) point->means[plane] = (int16_t)means[plane];
      }
      if (!vitrine_jpeg_scan_skip_mcu(scan, image, means)) {
        result = vitrine_dc_refused;
        break;
      }
    }
  }
  index->points[vitrine_jpeg_index_point_count(index)].position = vitrine_jpeg_scan_position(scan);
  free(scan);
  return result;
}

// MARK: Writing a part

/// A JPEG that is being written.
typedef struct {
  uint8_t *bytes;
  size_t count, capacity;
  /// The bits that do not fill a byte yet, the newest at the lowest place.
  uint64_t bits;
  int bit_count;
} vitrine_jpeg_part;

static inline void vitrine_jpeg_part_close(vitrine_jpeg_part *part) {
  free(part->bytes);
  part->bytes = NULL;
  part->count = part->capacity = 0;
}

/// Makes room for `count` more bytes. Returns false if memory is short, or more than `limit` bytes are written.
static inline bool vitrine_jpeg_part_reserve(vitrine_jpeg_part *part, size_t count, size_t limit) {
  if (part->capacity - part->count >= count) return true;
  size_t needed = part->count + count, capacity = part->capacity * 2 > needed ? part->capacity * 2 : needed;
  if (capacity > limit) capacity = limit;
  if (needed > capacity) return false;
  uint8_t *bytes = (uint8_t *)realloc(part->bytes, capacity);
  if (!bytes) return false;
  part->bytes = bytes;
  part->capacity = capacity;
  return true;
}

/// Writes at most 32 bits of a scan. The part must have room for eight bytes.
static inline void vitrine_jpeg_part_put(vitrine_jpeg_part *part, uint32_t bits, int count) {
  part->bits = part->bits << count | (bits & (uint32_t)((1ull << count) - 1));
  part->bit_count += count;
  while (part->bit_count >= 8) {
    part->bit_count -= 8;
    uint8_t byte = (uint8_t)(part->bits >> part->bit_count);
    part->bytes[part->count++] = byte;
    if (byte == 0xFF) part->bytes[part->count++] = 0;
  }
}

static inline void vitrine_jpeg_part_byte(vitrine_jpeg_part *part, unsigned byte) {
  part->bytes[part->count++] = (uint8_t)byte;
}

static inline void vitrine_jpeg_part_word(vitrine_jpeg_part *part, unsigned word) {
  vitrine_jpeg_part_byte(part, word >> 8 & 255);
  vitrine_jpeg_part_byte(part, word & 255);
}

static inline void vitrine_jpeg_part_marker(vitrine_jpeg_part *part, unsigned marker, unsigned length) {
  vitrine_jpeg_part_word(part, 0xFF00 | marker);
  if (length > 0) vitrine_jpeg_part_word(part, length);
}

/// The number of DC codes of each length: codes of a part's own, for differences of 0 to 15 bits. Small differences
/// have short codes.
static const uint8_t vitrine_jpeg_dc_counts[16] = {0, 1, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/// Writes the difference of a DC coefficient.
static inline void vitrine_jpeg_part_put_difference(vitrine_jpeg_part *part, int32_t difference, int size) {
  // The codes 00; 010 to 110; 1110, 11110 and so on.
  if (size == 0) {
    vitrine_jpeg_part_put(part, 0, 2);
  } else if (size <= 5) {
    vitrine_jpeg_part_put(part, (uint32_t)size + 1, 3);
  } else {
    int ones = size - 3;
    vitrine_jpeg_part_put(part, (1u << (ones + 1)) - 2, ones + 1);
  }
  if (size > 0) vitrine_jpeg_part_put(part, (uint32_t)(difference < 0 ? difference - 1 : difference), size);
}

/// Writes bits of a window as they are.
static inline void vitrine_jpeg_part_copy(vitrine_jpeg_part *part, const uint8_t *window, size_t begin, size_t end) {
  while (begin < end) {
    int count = end - begin < 32 ? (int)(end - begin) : 32;
    vitrine_jpeg_part_put(part, (uint32_t)(vitrine_dc_word(window, begin) >> (64 - count)), count);
    begin += (size_t)count;
  }
}

/// A rectangle of MCUs.
typedef struct {
  unsigned column, row, columns, rows;
} vitrine_jpeg_mcus;

/// Returns true if a rectangle has MCUs, and all of them belong to the image.
static inline bool vitrine_jpeg_has_mcus(const vitrine_jpeg_index *index, vitrine_jpeg_mcus mcus) {
  const vitrine_dc_image *image = index->image;
  return mcus.columns > 0 && mcus.rows > 0 && mcus.column < image->columns && mcus.row < image->rows
         && mcus.columns <= image->columns - mcus.column && mcus.rows <= image->rows - mcus.row;
}

/// Returns the bytes of the file that the rows of a rectangle take, rounded up to whole points.
static inline uint64_t vitrine_jpeg_index_scan_bytes(const vitrine_jpeg_index *index, vitrine_jpeg_mcus mcus) {
  uint64_t sum = 0;
  if (!vitrine_jpeg_has_mcus(index, mcus)) return 0;
  for (unsigned row = mcus.row; row < mcus.row + mcus.rows; row++) {
    size_t begin = row * index->points_per_row, first = begin + mcus.column / vitrine_jpeg_point_step;
    size_t end = begin + (mcus.column + mcus.columns - 1) / vitrine_jpeg_point_step + 1;
    sum += (index->points[end].position - index->points[first].position) / 8 + 2;
  }
  return sum;
}

/// Writes the markers before the scan. The part must have room for `vitrine_jpeg_markers_bytes`.
static inline void vitrine_jpeg_part_put_markers(
    vitrine_jpeg_part *part, const vitrine_jpeg_index *index, unsigned width, unsigned height) {
  const vitrine_dc_image *image = index->image;
  vitrine_jpeg_part_marker(part, 0xD8, 0);
  for (int number = 0; number < vitrine_dc_table_limit; number++) {
    bool is_used = false;
    for (int plane = 0; plane < image->plane_count; plane++)
      is_used = is_used || index->header.components[plane].quantizers == number;
    if (!is_used) continue;
    vitrine_jpeg_part_marker(part, 0xDB, 2 + 1 + 2 * vitrine_dc_block_samples);
    vitrine_jpeg_part_byte(part, 0x10 | (unsigned)number);
    for (int at = 0; at < vitrine_dc_block_samples; at++)
      vitrine_jpeg_part_word(part, index->header.quantizers[number].factors[at]);
  }
  // Extended sequential: tables of 16 bits, and four Huffman tables.
  vitrine_jpeg_part_marker(part, 0xC1, 8 + 3 * (unsigned)image->plane_count);
  vitrine_jpeg_part_byte(part, 8);
  vitrine_jpeg_part_word(part, height);
  vitrine_jpeg_part_word(part, width);
  vitrine_jpeg_part_byte(part, (unsigned)image->plane_count);
  for (int plane = 0; plane < image->plane_count; plane++) {
    vitrine_jpeg_part_byte(part, (unsigned)plane + 1);
    vitrine_jpeg_part_byte(
        part, (unsigned)(image->planes[plane].horizontal << 4 | image->planes[plane].vertical));
    vitrine_jpeg_part_byte(part, (unsigned)index->header.components[plane].quantizers);
  }
  vitrine_jpeg_part_marker(part, 0xC4, 2 + 1 + 16 + vitrine_jpeg_largest_size + 1);
  vitrine_jpeg_part_byte(part, 0);
  for (int length = 0; length < 16; length++) vitrine_jpeg_part_byte(part, vitrine_jpeg_dc_counts[length]);
  for (unsigned size = 0; size <= vitrine_jpeg_largest_size; size++) vitrine_jpeg_part_byte(part, size);
  for (int number = 0; number < vitrine_dc_table_limit; number++) {
    bool is_used = false;
    for (int plane = 0; plane < image->plane_count; plane++) is_used = is_used || image->planes[plane].ac == number;
    if (!is_used) continue;
    const vitrine_dc_huffman *table = index->header.ac + number;
    unsigned count = 0;
    for (int length = 1; length <= 16; length++) count += table->counts[length];
    vitrine_jpeg_part_marker(part, 0xC4, 2 + 1 + 16 + count);
    vitrine_jpeg_part_byte(part, 0x10 | (unsigned)number);
    for (int length = 1; length <= 16; length++) vitrine_jpeg_part_byte(part, table->counts[length]);
    for (unsigned at = 0; at < count; at++) vitrine_jpeg_part_byte(part, table->values[at]);
  }
  vitrine_jpeg_part_marker(part, 0xDA, 6 + 2 * (unsigned)image->plane_count);
  vitrine_jpeg_part_byte(part, (unsigned)image->plane_count);
  for (int plane = 0; plane < image->plane_count; plane++) {
    vitrine_jpeg_part_byte(part, (unsigned)plane + 1);
    vitrine_jpeg_part_byte(part, (unsigned)image->planes[plane].ac);
  }
  vitrine_jpeg_part_byte(part, 0);
  vitrine_jpeg_part_byte(part, 63);
  vitrine_jpeg_part_byte(part, 0);
}

/// Copies an MCU. `written` has the DC coefficients of the blocks that were copied before. Returns false if the data are
/// damaged.
static inline bool vitrine_jpeg_part_copy_mcu(
    vitrine_jpeg_part *part, vitrine_jpeg_scan *scan, const vitrine_dc_image *image, uint32_t *means,
    int32_t *written) {
  vitrine_dc_source *source = &scan->source;
  for (int index = 0; index < image->plane_count; index++) {
    const vitrine_dc_plane *plane = image->planes + index;
    const vitrine_dc_table *dc = image->dc + plane->dc;
    for (int block = 0; block < plane->horizontal * plane->vertical; block++) {
      size_t begin = source->position;
      if (!vitrine_dc_read_block(source->window, &source->position, dc, image->ac + plane->ac, means + index)
          || vitrine_dc_sample(means[index], plane->quantizers[0]) < 0)
        return false;
      begin += (size_t)vitrine_dc_bits_of_mean(source->window, begin, dc);
      int32_t mean = (int16_t)means[index], difference = mean - written[index];
      uint32_t distance = (uint32_t)(difference < 0 ? -difference : difference);
      int size = distance == 0 ? 0 : 32 - __builtin_clz(distance);
      if (size > vitrine_jpeg_largest_size) return false;
      written[index] = mean;
      vitrine_jpeg_part_put_difference(part, difference, size);
      vitrine_jpeg_part_copy(part, source->window, begin, source->position);
    }
  }
  return source->position <= source->count * 8;
}

/// Writes a JPEG of a rectangle of MCUs. Returns `vitrine_dc_refused` if the data are damaged, if memory is short, or if
/// the JPEG would have more than `limit` bytes. The caller must close the part in any case.
static inline vitrine_dc_result vitrine_jpeg_index_copy(
    const vitrine_jpeg_index *index, vitrine_jpeg_mcus mcus, size_t limit, vitrine_jpeg_part *part,
    vitrine_jpeg_read read, void *context, bool (*is_cancelled)(void *context)) {
  memset(part, 0, sizeof *part);
  const vitrine_dc_image *image = index->image;
  if (!vitrine_jpeg_has_mcus(index, mcus)) return vitrine_dc_refused;
  unsigned mcu_width = 8 * (unsigned)image->planes[0].horizontal, mcu_height = 8 * (unsigned)image->planes[0].vertical;
  unsigned left = mcus.column * mcu_width, top = mcus.row * mcu_height;
  unsigned width = mcus.columns * mcu_width, height = mcus.rows * mcu_height;
  if (width > index->header.width - left) width = index->header.width - left;
  if (height > index->header.height - top) height = index->header.height - top;
  if (!vitrine_jpeg_part_reserve(part, vitrine_jpeg_markers_bytes, limit)) return vitrine_dc_refused;
  vitrine_jpeg_part_put_markers(part, index, width, height);

  vitrine_jpeg_scan *scan = vitrine_jpeg_scan_open(read, context);
  if (!scan) return vitrine_dc_refused;
  vitrine_dc_result result = vitrine_dc_complete;
  int32_t written[3] = {0, 0, 0};
  for (unsigned row = mcus.row; row < mcus.row + mcus.rows && result == vitrine_dc_complete; row++) {
    if (is_cancelled(context)) {
      result = vitrine_dc_cancelled;
      break;
    }
    unsigned first = mcus.column / vitrine_jpeg_point_step;
    const vitrine_jpeg_point *point = index->points + row * index->points_per_row + first;
    uint32_t means[3];
    for (int plane = 0; plane < 3; plane++) means[plane] = (uint32_t)point->means[plane];
    vitrine_jpeg_scan_seek(scan, point->position);
    for (unsigned column = first * vitrine_jpeg_point_step; column < mcus.column + mcus.columns; column++) {
      uint64_t number = (uint64_t)row * image->columns + column;
      // A point lies after the restart marker.
      bool is_point = column == first * vitrine_jpeg_point_step;
      bool is_undamaged = is_point || vitrine_jpeg_scan_begin_mcu(scan, image, number, means);
      if (is_undamaged && column < mcus.column) {
        is_undamaged = vitrine_jpeg_scan_skip_mcu(scan, image, means);
      } else if (is_undamaged) {
        // A byte of the scan becomes two at most; a DC code takes six bytes at most.
        is_undamaged = vitrine_jpeg_part_reserve(part, 4 * vitrine_dc_mcu_bytes, limit)
                       && vitrine_jpeg_part_copy_mcu(part, scan, image, means, written);
      }
      if (!is_undamaged) {
        result = vitrine_dc_refused;
        break;
      }
    }
  }
  free(scan);
  if (result != vitrine_dc_complete || !vitrine_jpeg_part_reserve(part, 16, limit)) {
    return result == vitrine_dc_complete ? vitrine_dc_refused : result;
  }
  // The last byte is filled up with ones.
  vitrine_jpeg_part_put(part, 127, 7);
  vitrine_jpeg_part_marker(part, 0xD9, 0);
  return vitrine_dc_complete;
}
