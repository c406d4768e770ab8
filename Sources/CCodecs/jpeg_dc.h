// Reads the DC coefficients of a baseline JPEG, which are the means of its blocks, and skips the AC coefficients. An
// image at an eighth of its size needs no more, and skipping takes less than half of the time of decoding.
//
// libjpeg reads the header. An image with anything unusual or damaged is refused, and left to libjpeg.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "jpeg_decoding.h"

enum {
  /// The number of bits that select an entry of a table.
  vitrine_dc_lookup_bits = 11,
  vitrine_dc_entry_count = 1 << vitrine_dc_lookup_bits,
  vitrine_dc_index_mask = vitrine_dc_entry_count - 1,
  /// The largest number of extra bits of a DC coefficient of 8-bit samples (ITU T.81, F.1.2.1.1).
  vitrine_dc_largest_size = 11,
  /// The maximum number of blocks of an MCU (ITU T.81, B.2.3).
  vitrine_dc_mcu_blocks = 10,
  /// The maximum number of bytes of a block: a DC code, 63 AC codes, each of 16 bits, and their extra bits.
  vitrine_dc_block_bytes = (16 + vitrine_dc_largest_size + 63 * (16 + 15)) / 8 + 1,
  /// The maximum number of bytes that are read from the beginning of an MCU on, with the end of the last word.
  vitrine_dc_mcu_bytes = vitrine_dc_mcu_blocks * vitrine_dc_block_bytes + 16,
  /// The number of bytes of a scan that are kept at a time.
  vitrine_dc_window_bytes = 32 << 10,
};

/// The meaning of the bits of an index: 5 bits with the number of bits to skip, 7 bits with the number of AC coefficients
/// that these bits stand for, and a bit for the end of the block. Zero for an invalid code, and for one that does not
/// fit an index.
typedef uint16_t vitrine_dc_entry;

enum { vitrine_dc_end_of_block = 1 << 15 };

static inline int vitrine_dc_bits(vitrine_dc_entry entry) { return entry & 31; }
static inline int vitrine_dc_coefficients(vitrine_dc_entry entry) { return entry >> 5 & 127; }

/// A Huffman table. The codes of a length are consecutive numbers (ITU T.81, annex C).
typedef struct {
  /// For each length, the end of the codes up to this length, as the first 16 bits of a code.
  uint32_t ends[17];
  /// For each length, the number to add to a code for the index of its value.
  int offsets[17];
  uint8_t values[256];
} vitrine_dc_codes;

typedef struct {
  vitrine_dc_codes codes;
  /// The length of the code at the beginning of an index, and the number of its extra bits. The length is zero if the
  /// code does not fit.
  uint8_t lengths[vitrine_dc_entry_count], sizes[vitrine_dc_entry_count];
} vitrine_dc_table;

typedef struct {
  vitrine_dc_codes codes;
  /// The first code of an index with its extra bits.
  vitrine_dc_entry singles[vitrine_dc_entry_count];
  /// All codes of an index with their extra bits.
  vitrine_dc_entry chains[vitrine_dc_entry_count];
} vitrine_ac_table;

/// The bytes of a scan up to the next marker, without the zeros after 0xFF.
typedef struct {
  /// The bytes of the file that have not been copied into the window.
  const uint8_t *next, *end;
  /// The number of bytes in the window, and the position of the next MCU in bits.
  size_t count, position;
  /// True if the bytes of the window are followed by a marker or the end of the file.
  bool is_last;
  /// Followed by zeros, so that an MCU of damaged data ends within the memory.
  uint8_t window[vitrine_dc_window_bytes + vitrine_dc_mcu_bytes];
} vitrine_dc_source;

typedef struct {
  /// The means of the blocks, for whole MCUs. Rows are `stride` bytes apart.
  uint8_t *samples;
  size_t stride;
  /// The number of columns and rows that belong to the image.
  size_t width, height;
  /// The number of columns and rows of blocks in an MCU.
  int horizontal, vertical;
  /// The numbers of the Huffman tables.
  int dc, ac;
  /// The factor of the DC coefficients.
  int quantizer;
} vitrine_dc_plane;

typedef struct {
  vitrine_dc_source source;
  vitrine_dc_table dc[NUM_HUFF_TBLS];
  vitrine_ac_table ac[NUM_HUFF_TBLS];
  int plane_count;
  vitrine_dc_plane planes[3];
  /// The number of MCUs in a row, and the number of rows.
  unsigned columns, rows;
  /// The number of MCUs between restart markers; zero for none.
  unsigned restart_interval;
  /// A row of both chroma planes at the width of the image, and before that in 1/128.
  int32_t *chroma[2];
} vitrine_dc_image;

typedef enum {
  vitrine_dc_complete,
  /// The data are damaged or unusual.
  vitrine_dc_refused,
  vitrine_dc_cancelled
} vitrine_dc_result;

// MARK: Tables

/// Returns false for a table that libjpeg refuses.
static inline bool vitrine_dc_make_codes(vitrine_dc_codes *codes, const JHUFF_TBL *table) {
  uint32_t code = 0;
  int count = 0;
  for (int length = 1; length <= 16; length++) {
    int number = table->bits[length];
    if (count + number > 256) return false;
    codes->offsets[length] = count - (int)code;
    code += (uint32_t)number;
    count += number;
    // The code of ones alone is reserved.
    if (number > 0 && code >= 1u << length) return false;
    codes->ends[length] = code << (16 - length);
    code <<= 1;
  }
  memcpy(codes->values, table->huffval, sizeof codes->values);
  return count > 0;
}

/// Returns the length of the code at the beginning of 16 bits; 17 for an invalid code.
static inline int vitrine_dc_code_length(const vitrine_dc_codes *codes, uint32_t bits) {
  int length = 1;
  while (length <= 16 && bits >= codes->ends[length]) length++;
  return length;
}

static inline uint8_t vitrine_dc_value(const vitrine_dc_codes *codes, uint32_t bits, int length) {
  return codes->values[((int)(bits >> (16 - length)) + codes->offsets[length]) & 255];
}

/// Returns the entry of an AC code; zero for a code that only progressive images have (ITU T.81, F.1.2.2.1).
static inline vitrine_dc_entry vitrine_dc_make_entry(int length, uint8_t value) {
  int run = value >> 4, size = value & 15;
  if (size == 0 && run == 0) return (vitrine_dc_entry)(length | vitrine_dc_end_of_block);
  if (size == 0 && run < 15) return 0;
  return (vitrine_dc_entry)(length + size + ((run + 1) << 5));
}

static inline bool vitrine_dc_make_dc_table(vitrine_dc_table *table, const JHUFF_TBL *source) {
  if (!source || !vitrine_dc_make_codes(&table->codes, source)) return false;
  int count = 0;
  for (int length = 1; length <= 16; length++) count += source->bits[length];
  for (int index = 0; index < count; index++)
    if (table->codes.values[index] > vitrine_dc_largest_size) return false;
  for (uint32_t index = 0; index < vitrine_dc_entry_count; index++) {
    uint32_t bits = index << (16 - vitrine_dc_lookup_bits);
    int length = vitrine_dc_code_length(&table->codes, bits);
    bool fits = length <= vitrine_dc_lookup_bits;
    table->lengths[index] = fits ? (uint8_t)length : 0;
    table->sizes[index] = fits ? vitrine_dc_value(&table->codes, bits, length) : 0;
  }
  return true;
}

static inline bool vitrine_dc_make_ac_table(vitrine_ac_table *table, const JHUFF_TBL *source) {
  if (!source || !vitrine_dc_make_codes(&table->codes, source)) return false;
  // The lengths of codes without their extra bits.
  uint8_t lengths[vitrine_dc_entry_count];
  for (uint32_t index = 0; index < vitrine_dc_entry_count; index++) {
    uint32_t bits = index << (16 - vitrine_dc_lookup_bits);
    int length = vitrine_dc_code_length(&table->codes, bits);
    lengths[index] = (uint8_t)length;
    table->singles[index] =
        length <= vitrine_dc_lookup_bits
        ? vitrine_dc_make_entry(length, vitrine_dc_value(&table->codes, bits, length)) : 0;
  }
  for (uint32_t index = 0; index < vitrine_dc_entry_count; index++) {
    vitrine_dc_entry chain = table->singles[index];
    while (chain && !(chain & vitrine_dc_end_of_block)) {
      int used = vitrine_dc_bits(chain);
      if (used >= vitrine_dc_lookup_bits) break;
      // The index has no bits after the first `vitrine_dc_lookup_bits`, so the next code must end before them. Its
      // extra bits are skipped unseen.
      uint32_t rest = index << used & vitrine_dc_index_mask;
      vitrine_dc_entry next = table->singles[rest];
      int bits = used + vitrine_dc_bits(next), count = vitrine_dc_coefficients(chain) + vitrine_dc_coefficients(next);
      if (!next || used + lengths[rest] > vitrine_dc_lookup_bits || bits > 31 || count > 63) break;
      chain = (vitrine_dc_entry)(bits | count << 5 | (next & vitrine_dc_end_of_block));
    }
    table->chains[index] = chain;
  }
  return true;
}

// MARK: Bytes

/// Removes the bytes before the next MCU from the window, and fills the window up to a marker.
static inline void vitrine_dc_fill(vitrine_dc_source *source) {
  size_t used = source->position >> 3;
  if (used > source->count) used = source->count;
  source->count -= used;
  source->position -= used * 8;
  memmove(source->window, source->window + used, source->count);
  while (!source->is_last && source->count < vitrine_dc_window_bytes) {
    size_t room = vitrine_dc_window_bytes - source->count, rest = (size_t)(source->end - source->next);
    const uint8_t *mark = (const uint8_t *)memchr(source->next, 0xFF, rest < room ? rest : room);
    size_t length = mark ? (size_t)(mark - source->next) : rest < room ? rest : room;
    memcpy(source->window + source->count, source->next, length);
    source->count += length;
    source->next += length;
    rest -= length;
    if (mark && rest >= 2 && mark[1] == 0) {
      source->window[source->count++] = 0xFF;
      source->next += 2;
    } else if (mark || rest == 0) {
      source->is_last = true;
    }
  }
  memset(source->window + source->count, 0, vitrine_dc_mcu_bytes);
}

/// Goes on after the restart marker with this number. Returns false if there is none, or if bytes are left before it.
static inline bool vitrine_dc_restart(vitrine_dc_source *source, unsigned number) {
  if (!source->is_last) vitrine_dc_fill(source);
  bool is_at_end = source->is_last && (source->position + 7) / 8 == source->count;
  if (!is_at_end || source->end - source->next < 2 || source->next[1] != JPEG_RST0 + number) return false;
  source->next += 2;
  source->count = source->position = 0;
  source->is_last = false;
  vitrine_dc_fill(source);
  return true;
}

/// Returns the bits from a position on, at least 57, followed by zeros.
static inline uint64_t vitrine_dc_word(const uint8_t *bytes, size_t position) {
  uint8_t next[8];
  memcpy(next, bytes + (position >> 3), 8);
  uint64_t word = 0;
  for (int index = 0; index < 8; index++) word = word << 8 | next[index];
  return word << (position & 7);
}

// MARK: Blocks

/// Reads a block: adds the difference of its DC coefficient to `mean`, and moves `position` to its end. Returns false for
/// an invalid code, and for too many coefficients.
static inline bool vitrine_dc_read_block(
    const uint8_t *bytes, size_t *position, const vitrine_dc_table *dc, const vitrine_ac_table *ac, uint32_t *mean) {
  size_t at = *position;
  uint64_t word = vitrine_dc_word(bytes, at);
  int valid = 64 - (int)(at & 7);
  const int shift = 64 - vitrine_dc_lookup_bits;

  int length = dc->lengths[word >> shift], size = dc->sizes[word >> shift];
  if (__builtin_expect(length == 0, 0)) {
    length = vitrine_dc_code_length(&dc->codes, (uint32_t)(word >> 48));
    if (length > 16) return false;
    size = vitrine_dc_value(&dc->codes, (uint32_t)(word >> 48), length);
  }
  if (size > 0) {
    uint32_t extra = (uint32_t)(word << length >> (64 - size));
    // Extra bits that begin with 0 stand for a negative difference (ITU T.81, F.2.2.1).
    *mean += extra >> (size - 1) ? extra : extra + 1 - (1u << size);
  }
  int bits = length + size;

  for (int coefficient = 0;;) {
    word <<= bits;
    at += (size_t)bits;
    valid -= bits;
    // A code has 16 bits at most. Extra bits are skipped unseen.
    if (valid < 16) {
      word = vitrine_dc_word(bytes, at);
      valid = 64 - (int)(at & 7);
    }
    vitrine_dc_entry entry = ac->chains[word >> shift];
    int next = coefficient + vitrine_dc_coefficients(entry);
    if (__builtin_expect(entry == 0 || next >= 63, 0)) {
      // The codes after the last coefficient belong to the next block.
      entry = ac->singles[word >> shift];
      if (entry == 0) {
        length = vitrine_dc_code_length(&ac->codes, (uint32_t)(word >> 48));
        if (length > 16) return false;
        entry = vitrine_dc_make_entry(length, vitrine_dc_value(&ac->codes, (uint32_t)(word >> 48), length));
        if (entry == 0) return false;
      }
      next = coefficient + vitrine_dc_coefficients(entry);
      if (next > 63) return false;
    }
    coefficient = next;
    bits = vitrine_dc_bits(entry);
    if (entry & vitrine_dc_end_of_block || coefficient == 63) break;
  }
  *position = at + (size_t)bits;
  return true;
}

/// Returns the mean of a block, as the inverse DCT of libjpeg does (`jpeg_idct_1x1`); -1 far outside the range of samples,
/// where libjpeg's table begins again.
static inline int vitrine_dc_sample(uint32_t mean, int quantizer) {
  int sample = ((int16_t)mean * quantizer + 4) >> 3;
  if (sample < -512 || sample > 511) return -1;
  return sample < -128 ? 0 : sample > 127 ? 255 : sample + 128;
}

// MARK: Images

static inline void vitrine_dc_close(vitrine_dc_image *image) {
  if (!image) return;
  for (int index = 0; index < 3; index++) free(image->planes[index].samples);
  for (int index = 0; index < 2; index++) free(image->chroma[index]);
  free(image);
}

/// Returns the number of blocks of a side, for `factor` of `largest` samples in each direction.
static inline unsigned vitrine_dc_blocks(unsigned side, int factor, int largest) {
  return (side * (unsigned)factor + 8u * (unsigned)largest - 1) / (8u * (unsigned)largest);
}

static inline bool vitrine_dc_set_up_plane(
    vitrine_dc_image *image, const struct jpeg_decompress_struct *info, int index) {
  const jpeg_component_info *component = info->comp_info + index;
  if (info->cur_comp_info[index] != component) return false;
  vitrine_dc_plane *plane = image->planes + index;
  bool is_alone = image->plane_count == 1;
  plane->horizontal = is_alone ? 1 : component->h_samp_factor;
  plane->vertical = is_alone ? 1 : component->v_samp_factor;
  // Without subsampling, or with chroma of half the width or the height or both.
  int largest = is_alone || index > 0 ? 1 : 2;
  if (plane->horizontal < 1 || plane->horizontal > largest || plane->vertical < 1 || plane->vertical > largest)
    return false;
  plane->width = vitrine_dc_blocks(info->image_width, plane->horizontal, image->planes[0].horizontal);
  plane->height = vitrine_dc_blocks(info->image_height, plane->vertical, image->planes[0].vertical);

  int dc = component->dc_tbl_no, ac = component->ac_tbl_no, quantization = component->quant_tbl_no;
  if (dc < 0 || dc >= NUM_HUFF_TBLS || ac < 0 || ac >= NUM_HUFF_TBLS || quantization < 0
      || quantization >= NUM_QUANT_TBLS || !info->quant_tbl_ptrs[quantization])
    return false;
  plane->dc = dc;
  plane->ac = ac;
  plane->quantizer = info->quant_tbl_ptrs[quantization]->quantval[0];
  if (plane->quantizer > 255) return false;
  bool has_dc = false, has_ac = false;
  for (int other = 0; other < index; other++) {
    has_dc = has_dc || image->planes[other].dc == dc;
    has_ac = has_ac || image->planes[other].ac == ac;
  }
  return (has_dc || vitrine_dc_make_dc_table(image->dc + dc, info->dc_huff_tbl_ptrs[dc]))
         && (has_ac || vitrine_dc_make_ac_table(image->ac + ac, info->ac_huff_tbl_ptrs[ac]));
}

/// Returns an image to read, or null if `jpeg` is unusual or memory is short. Call after `vitrine_jpeg_open`, and before
/// `vitrine_jpeg_start`. The caller must close the image.
static inline vitrine_dc_image *vitrine_dc_open(const vitrine_jpeg *jpeg) {
  const struct jpeg_decompress_struct *info = &jpeg->info;
  bool is_gray = info->num_components == 1 && info->jpeg_color_space == JCS_GRAYSCALE;
  bool is_color = info->num_components == 3 && info->jpeg_color_space == JCS_YCbCr;
  if (info->progressive_mode || info->arith_code || info->data_precision != 8 || !(is_gray || is_color)
      || info->comps_in_scan != info->num_components || info->image_width == 0 || info->image_height == 0)
    return NULL;
  vitrine_dc_image *image = (vitrine_dc_image *)calloc(1, sizeof *image);
  if (!image) return NULL;
  image->plane_count = info->num_components;
  image->restart_interval = info->restart_interval;
  bool is_usual = true;
  for (int index = 0; index < image->plane_count && is_usual; index++)
    is_usual = vitrine_dc_set_up_plane(image, info, index);
  if (!is_usual) {
    vitrine_dc_close(image);
    return NULL;
  }
  image->columns = vitrine_dc_blocks(info->image_width, 1, image->planes[0].horizontal);
  image->rows = vitrine_dc_blocks(info->image_height, 1, image->planes[0].vertical);
  for (int index = 0; index < image->plane_count && is_usual; index++) {
    vitrine_dc_plane *plane = image->planes + index;
    plane->stride = (size_t)image->columns * (size_t)plane->horizontal;
    plane->samples = (uint8_t *)malloc(plane->stride * image->rows * (size_t)plane->vertical);
    is_usual = plane->samples != NULL;
  }
  for (int index = 0; index < 2 && is_usual && is_color; index++) {
    // A chroma sample may stand for two columns, and has two neighbors on both sides.
    image->chroma[index] = (int32_t *)malloc((3 * image->planes[1].width + 4) * sizeof(int32_t));
    is_usual = image->chroma[index] != NULL;
  }
  if (!is_usual) {
    vitrine_dc_close(image);
    return NULL;
  }
  image->source.next = info->src->next_input_byte;
  image->source.end = info->src->next_input_byte + info->src->bytes_in_buffer;
  return image;
}

/// Reads all means. The bytes of `jpeg` must not have been read since its header.
static inline vitrine_dc_result vitrine_dc_read(vitrine_dc_image *image, const vitrine_jpeg *jpeg) {
  vitrine_dc_source *source = &image->source;
  vitrine_dc_fill(source);
  uint32_t means[3] = {0, 0, 0};
  unsigned until_restart = image->restart_interval, restarts = 0;
  for (unsigned row = 0; row < image->rows; row++) {
    if (row % 8 == 0 && jpeg->is_cancelled && jpeg->is_cancelled(jpeg->context)) return vitrine_dc_cancelled;
    for (unsigned column = 0; column < image->columns; column++) {
      if (image->restart_interval > 0 && until_restart-- == 0) {
        if (!vitrine_dc_restart(source, restarts++ & 7)) return vitrine_dc_refused;
        memset(means, 0, sizeof means);
        until_restart = image->restart_interval - 1;
      }
      if (!source->is_last && source->position + 8 * vitrine_dc_mcu_bytes > source->count * 8)
        vitrine_dc_fill(source);
      for (int index = 0; index < image->plane_count; index++) {
        const vitrine_dc_plane *plane = image->planes + index;
        for (int y = 0; y < plane->vertical; y++) {
          uint8_t *samples = plane->samples
                             + ((size_t)row * (size_t)plane->vertical + (size_t)y) * plane->stride
                             + (size_t)column * (size_t)plane->horizontal;
          for (int x = 0; x < plane->horizontal; x++) {
            if (!vitrine_dc_read_block(
                    source->window, &source->position, image->dc + plane->dc, image->ac + plane->ac, means + index))
              return vitrine_dc_refused;
            int sample = vitrine_dc_sample(means[index], plane->quantizer);
            if (sample < 0) return vitrine_dc_refused;
            samples[x] = (uint8_t)sample;
          }
        }
      }
      // The MCU may have ended in the zeros after the data.
      if (source->position > source->count * 8) return vitrine_dc_refused;
    }
  }
  return vitrine_dc_complete;
}

// MARK: Pixels

/// Returns by how much the means of the two halves of a cell differ from the mean of the cell, in 1/128: as on the polynomial
/// of degree 4 that has the means of this cell and of two cells on both sides.
static inline int vitrine_dc_half(int before_last, int last, int next, int after_next) {
  return 22 * (next - last) - 3 * (after_next - before_last);
}

/// Writes a row of a chroma plane, less 128, at the width of the image.
///
/// A chroma sample is the mean of one or two columns and rows. The usual filters would either blur these or show steps.
static inline void vitrine_dc_enlarge(const vitrine_dc_image *image, int index, size_t y) {
  const vitrine_dc_plane *plane = image->planes + index;
  size_t width = plane->width, row = y / (size_t)image->planes[0].vertical;
  const uint8_t *rows[5];
  for (int offset = -2; offset <= 2; offset++) {
    ptrdiff_t at = (ptrdiff_t)row + offset, last = (ptrdiff_t)plane->height - 1;
    rows[offset + 2] = plane->samples + (size_t)(at < 0 ? 0 : at > last ? last : at) * plane->stride;
  }
  int side = image->planes[0].vertical == 1 ? 0 : y % 2 ? 1 : -1;
  // In 1/128, with two neighbors on both sides.
  int32_t *samples = image->chroma[index - 1], *parts = samples + 2 * width + 2;
  for (size_t x = 0; x < width; x++) {
    parts[x] = 128 * (rows[2][x] - 128) + side * vitrine_dc_half(rows[0][x], rows[1][x], rows[3][x], rows[4][x]);
  }
  if (image->planes[0].horizontal == 1) {
    for (size_t x = 0; x < width; x++) samples[x] = (parts[x] + 64) >> 7;
    return;
  }
  parts[-2] = parts[-1] = parts[0];
  parts[width] = parts[width + 1] = parts[width - 1];
  for (size_t x = 0; x < width; x++) {
    const int32_t *part = parts + x;
    int difference = vitrine_dc_half(part[-2], part[-1], part[1], part[2]);
    samples[2 * x] = (128 * part[0] - difference + (1 << 13)) >> 14;
    samples[2 * x + 1] = (128 * part[0] + difference + (1 << 13)) >> 14;
  }
}

static inline uint8_t vitrine_dc_clamp(int value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

/// Writes row `y` as pixels of four bytes, converted from YCbCr to RGB (ITU T.871, section 7).
static inline void vitrine_dc_write_row(const vitrine_dc_image *image, size_t y, uint8_t *pixels, bool blue_first) {
  const vitrine_dc_plane *luma = image->planes;
  const uint8_t *samples = luma->samples + y * luma->stride;
  if (image->plane_count == 1) {
    for (size_t x = 0; x < luma->width; x++) {
      pixels[4 * x] = pixels[4 * x + 1] = pixels[4 * x + 2] = samples[x];
      pixels[4 * x + 3] = 255;
    }
    return;
  }
  vitrine_dc_enlarge(image, 1, y);
  vitrine_dc_enlarge(image, 2, y);
  const int32_t *blues = image->chroma[0], *reds = image->chroma[1];
  size_t first = blue_first ? 2 : 0, last = blue_first ? 0 : 2;
  for (size_t x = 0; x < luma->width; x++) {
    // Multiples of 1/65536.
    int level = samples[x] * 65536 + 32768, blue = blues[x], red = reds[x];
    pixels[4 * x + first] = vitrine_dc_clamp((level + 91881 * red) >> 16);
    pixels[4 * x + 1] = vitrine_dc_clamp((level - 22554 * blue - 46802 * red) >> 16);
    pixels[4 * x + last] = vitrine_dc_clamp((level + 116130 * blue) >> 16);
    pixels[4 * x + 3] = 255;
  }
}
