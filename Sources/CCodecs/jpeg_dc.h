// Reads the DC coefficients of a JPEG, which are the means of its blocks, and skips the AC coefficients. A small thumbnail
// needs no more, and skipping takes less than half of the time of decoding. For an image of twice the size, the lowest
// AC coefficients are read as well, which tell the means of the quarters of a block. A progressive JPEG has scans of DC
// coefficients alone: the first has the highest bits, and each of the others adds a bit.
//
// All names begin with `vitrine_dc`, also those that deal with AC coefficients.
//
// An image with anything unusual or damaged is refused, and left to libjpeg.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "jpeg_dc_blocks.h"

typedef struct {
  /// The means of the blocks or of their quarters, for whole MCUs. Rows are `stride` bytes apart.
  uint8_t *samples;
  /// The DC coefficients of a progressive image, as many as samples; else null.
  int16_t *coefficients;
  size_t stride;
  /// The number of columns and rows of means that belong to the image.
  size_t width, height;
  /// The number of columns and rows of blocks in an MCU.
  int horizontal, vertical;
  /// The numbers of the Huffman tables.
  int dc, ac;
  /// The factors of the coefficients at 0, 1, 2 and 4 in the order of the file.
  int quantizers[4];
} vitrine_dc_plane;

typedef struct {
  int plane_count;
  vitrine_dc_plane planes[vitrine_dc_component_limit];
  /// The number of means on each side of a block: 1, or 2 for quarters.
  int means_per_side;
  /// The number of MCUs in a row, and the number of rows.
  unsigned columns, rows;
  /// The offset in the file of the codes of the first scan.
  size_t codes_offset;
  /// The number of MCUs between the restart markers of the first scan; zero for none.
  unsigned restart_interval;
  bool is_progressive;
  /// The number of lowest bits of coefficients that the first scan leaves out.
  int missing_bits;
  /// Called between rows of MCUs; returns true to stop reading. May be null.
  bool (*is_cancelled)(void *context);
  void *context;
  // The fields below are not zeroed: each is written before it is read, so that unused tables take no pages.
  vitrine_dc_source source;
  vitrine_dc_table dc[vitrine_dc_table_limit];
  vitrine_ac_table ac[vitrine_dc_table_limit];
} vitrine_dc_image;

typedef enum {
  vitrine_dc_complete,
  /// The data are damaged or unusual.
  vitrine_dc_refused,
  vitrine_dc_cancelled
} vitrine_dc_result;

static inline void vitrine_dc_close(vitrine_dc_image *image) {
  if (!image) return;
  for (int index = 0; index < vitrine_dc_component_limit; index++) {
    free(image->planes[index].samples);
    free(image->planes[index].coefficients);
  }
  free(image);
}

/// Returns the number of blocks on a side of the image, for `factor` of `largest` samples in each direction.
static inline unsigned vitrine_dc_blocks(unsigned side, int factor, int largest) {
  return (side * (unsigned)factor + 8u * (unsigned)largest - 1) / (8u * (unsigned)largest);
}

static inline bool vitrine_dc_set_up_plane(vitrine_dc_image *image, const vitrine_dc_header *header, int index) {
  const vitrine_dc_component *component = header->components + index;
  vitrine_dc_plane *plane = image->planes + index;
  bool is_alone = image->plane_count == 1;
  plane->horizontal = is_alone ? 1 : component->horizontal;
  plane->vertical = is_alone ? 1 : component->vertical;
  // Without subsampling, or with chroma of half the width or the height or both.
  int largest = is_alone || index > 0 ? 1 : 2;
  if (plane->horizontal > largest || plane->vertical > largest) return false;
  // The number of quarters is that of the blocks of an image of twice the size.
  int means = image->means_per_side;
  plane->width = vitrine_dc_blocks(header->width, plane->horizontal * means, image->planes[0].horizontal);
  plane->height = vitrine_dc_blocks(header->height, plane->vertical * means, image->planes[0].vertical);

  const vitrine_dc_quantizers *quantizers = header->quantizers + component->quantizers;
  if (!quantizers->is_present) return false;
  const int places[4] = {0, 1, 2, 4};
  for (int factor = 0; factor < (means == 2 ? 4 : 1); factor++) {
    plane->quantizers[factor] = quantizers->factors[places[factor]];
    if (plane->quantizers[factor] > 255) return false;
  }
  plane->dc = component->dc;
  plane->ac = component->ac;
  bool has_dc = false, has_ac = false;
  for (int other = 0; other < index; other++) {
    has_dc = has_dc || image->planes[other].dc == plane->dc;
    has_ac = has_ac || image->planes[other].ac == plane->ac;
  }
  return (has_dc || vitrine_dc_make_dc_table(image->dc + plane->dc, header->dc + plane->dc))
         && (image->is_progressive || has_ac
             || vitrine_dc_make_ac_table(image->ac + plane->ac, header->ac + plane->ac));
}

/// Returns the layout and the tables of an image without memory for samples, or null if the image is unusual or memory is
/// short. The caller must close the image.
///
/// A progressive image is unusual unless `allows_progressive` is true and its first scan has the DC coefficients of all
/// components.
static inline vitrine_dc_image *vitrine_dc_prepare(
    const vitrine_dc_header *header, bool allows_progressive, int means_per_side) {
  bool has_first_bits = header->first_coefficient == 0 && header->last_coefficient == 0 && header->missing_before == 0
                        && header->missing_bits <= vitrine_dc_largest_size;
  if (header->is_progressive && !(allows_progressive && has_first_bits)) return NULL;
  vitrine_dc_image *image = (vitrine_dc_image *)malloc(sizeof *image);
  if (!image) return NULL;
  memset(image, 0, offsetof(vitrine_dc_image, source));
  image->plane_count = header->component_count;
  image->means_per_side = means_per_side;
  image->codes_offset = header->codes_offset;
  image->restart_interval = header->restart_interval;
  image->is_progressive = header->is_progressive;
  image->missing_bits = header->is_progressive ? header->missing_bits : 0;
  for (int index = 0; index < image->plane_count; index++) {
    if (vitrine_dc_set_up_plane(image, header, index)) continue;
    vitrine_dc_close(image);
    return NULL;
  }
  image->columns = vitrine_dc_blocks(header->width, 1, image->planes[0].horizontal);
  image->rows = vitrine_dc_blocks(header->height, 1, image->planes[0].vertical);
  return image;
}

/// Returns an image to read, or null, as `vitrine_dc_prepare` does. `bytes` hold at least the header.
///
/// `means_per_side` is 1 or 2. A progressive image has only one mean per block.
static inline vitrine_dc_image *vitrine_dc_open(const uint8_t *bytes, size_t count, int means_per_side) {
  vitrine_dc_header header;
  if (means_per_side < 1 || means_per_side > 2 || !vitrine_dc_read_header(bytes, count, &header)) return NULL;
  vitrine_dc_image *image = vitrine_dc_prepare(&header, means_per_side == 1, means_per_side);
  if (!image) return NULL;
  bool has_memory = true;
  for (int index = 0; index < image->plane_count && has_memory; index++) {
    vitrine_dc_plane *plane = image->planes + index;
    size_t means = (size_t)means_per_side;
    plane->stride = image->columns * (size_t)plane->horizontal * means;
    size_t samples = plane->stride * image->rows * (size_t)plane->vertical * means;
    plane->samples = (uint8_t *)malloc(samples);
    if (image->is_progressive) plane->coefficients = (int16_t *)malloc(samples * sizeof(int16_t));
    has_memory = plane->samples && (plane->coefficients || !image->is_progressive);
  }
  if (!has_memory) {
    vitrine_dc_close(image);
    return NULL;
  }
  return image;
}

/// The contents of a block in a scan.
typedef enum {
  /// All coefficients of a sequential image, of which the DC coefficient is read.
  vitrine_dc_all_coefficients,
  /// The same, of which the lowest are read.
  vitrine_dc_all_and_lowest,
  /// The highest bits of the DC coefficient of a progressive image.
  vitrine_dc_first_bits,
  /// One more bit of the DC coefficient.
  vitrine_dc_next_bit
} vitrine_dc_content;

typedef struct {
  vitrine_dc_content content;
  /// The component of the scan; negative for all of them.
  int component;
  unsigned restart_interval;
  /// The number of lowest bits that are still missing after the scan.
  int missing_bits;
} vitrine_dc_scan;

/// Reads a block of a scan, whose means begin at an index of a plane. Returns false for damaged data.
static inline __attribute__((always_inline)) bool vitrine_dc_read(
    vitrine_dc_image *image, const vitrine_dc_plane *plane, vitrine_dc_scan scan, uint32_t *mean, size_t index) {
  vitrine_dc_source *source = &image->source;
  const vitrine_dc_table *dc = image->dc + plane->dc;
  switch (scan.content) {
    case vitrine_dc_all_coefficients: {
      if (!vitrine_dc_read_block(source->window, &source->position, dc, image->ac + plane->ac, mean)) return false;
      int sample = vitrine_dc_sample(*mean, plane->quantizers[0]);
      if (sample < 0) return false;
      plane->samples[index] = (uint8_t)sample;
      return true;
    }
    case vitrine_dc_all_and_lowest: {
      int low[vitrine_dc_low_count];
      return vitrine_dc_read_coefficients(
                 source->window, &source->position, dc, image->ac + plane->ac, mean, low)
             && vitrine_dc_write_quarters(*mean, low, plane->quantizers, plane->samples + index, plane->stride);
    }
    case vitrine_dc_first_bits: {
      int bits = vitrine_dc_read_difference(vitrine_dc_word(source->window, source->position), dc, mean);
      source->position += (size_t)bits;
      plane->coefficients[index] = (int16_t)(*mean << scan.missing_bits);
      return bits > 0;
    }
    case vitrine_dc_next_bit: {
      unsigned bit = source->window[source->position >> 3] >> (7 - (source->position & 7)) & 1;
      source->position += 1;
      plane->coefficients[index] = (int16_t)(plane->coefficients[index] | (int)(bit << scan.missing_bits));
      return true;
    }
  }
}

/// Reads a scan, which begins at `image->source.next`.
static inline __attribute__((always_inline)) vitrine_dc_result vitrine_dc_read_scan(
    vitrine_dc_image *image, vitrine_dc_scan scan) {
  vitrine_dc_source *source = &image->source;
  source->count = source->position = 0;
  source->is_last = false;
  vitrine_dc_fill(source);
  bool is_alone = scan.component >= 0;
  int first = is_alone ? scan.component : 0, end = is_alone ? first + 1 : image->plane_count;
  // A component in a scan of its own has no blocks beyond the image.
  size_t columns = is_alone ? image->planes[first].width : image->columns;
  size_t rows = is_alone ? image->planes[first].height : image->rows;
  size_t side = scan.content == vitrine_dc_all_and_lowest ? 2 : 1;
  uint32_t means[3] = {0, 0, 0};
  unsigned until_restart = scan.restart_interval, restarts = 0;
  for (size_t row = 0; row < rows; row++) {
    if (row % 8 == 0 && image->is_cancelled && image->is_cancelled(image->context)) return vitrine_dc_cancelled;
    for (size_t column = 0; column < columns; column++) {
      if (scan.restart_interval > 0 && until_restart-- == 0) {
        if (!vitrine_dc_restart(source, restarts++ & 7)) return vitrine_dc_refused;
        memset(means, 0, sizeof means);
        until_restart = scan.restart_interval - 1;
      }
      if (!source->is_last && source->position + 8 * vitrine_dc_mcu_bytes > source->count * 8)
        vitrine_dc_fill(source);
      for (int index = first; index < end; index++) {
        const vitrine_dc_plane *plane = image->planes + index;
        size_t vertical = is_alone ? 1 : (size_t)plane->vertical, horizontal = is_alone ? 1 : (size_t)plane->horizontal;
        for (size_t y = 0; y < vertical; y++) {
          size_t start = ((row * vertical + y) * plane->stride + column * horizontal) * side;
          for (size_t x = 0; x < horizontal; x++)
            if (!vitrine_dc_read(image, plane, scan, means + index, start + x * side)) return vitrine_dc_refused;
        }
      }
      // The MCU may have ended in the zeros after the data.
      if (source->position > source->count * 8) return vitrine_dc_refused;
    }
  }
  return vitrine_dc_complete;
}

/// Reads the first scan: all means of a sequential image, or the highest bits of those of a progressive image. `bytes` are
/// the whole file.
static inline vitrine_dc_result vitrine_dc_read_first_scan(
    vitrine_dc_image *image, const uint8_t *bytes, size_t count) {
  if (image->codes_offset > count) return vitrine_dc_refused;
  image->source.next = bytes + image->codes_offset;
  image->source.end = bytes + count;
  vitrine_dc_scan scan = {vitrine_dc_all_coefficients, -1, image->restart_interval, image->missing_bits};
  if (image->means_per_side == 2) {
    scan.content = vitrine_dc_all_and_lowest;
    return vitrine_dc_read_scan(image, scan);
  }
  if (!image->is_progressive) return vitrine_dc_read_scan(image, scan);
  scan.content = vitrine_dc_first_bits;
  return vitrine_dc_read_scan(image, scan);
}

/// Reads a scan with one more bit of the coefficients of a progressive image.
///
/// `codes` are the bytes after the header of the scan. `component` is negative for a scan of all components.
static inline vitrine_dc_result vitrine_dc_read_next_bits(
    vitrine_dc_image *image, const uint8_t *codes, size_t count, int component, unsigned restart_interval,
    int missing_bits) {
  if (!image->is_progressive || component >= image->plane_count || missing_bits < 0 || missing_bits > 15)
    return vitrine_dc_refused;
  image->source.next = codes;
  image->source.end = codes + count;
  vitrine_dc_scan scan = {vitrine_dc_next_bit, component, restart_interval, missing_bits};
  return vitrine_dc_read_scan(image, scan);
}

/// Makes the samples of a progressive image. Call after all scans were read.
static inline vitrine_dc_result vitrine_dc_make_samples(vitrine_dc_image *image) {
  if (!image->is_progressive) return vitrine_dc_complete;
  for (int index = 0; index < image->plane_count; index++) {
    vitrine_dc_plane *plane = image->planes + index;
    for (size_t y = 0; y < plane->height; y++) {
      for (size_t x = 0; x < plane->width; x++) {
        size_t at = y * plane->stride + x;
        int sample = vitrine_dc_sample((uint32_t)plane->coefficients[at], plane->quantizers[0]);
        if (sample < 0) return vitrine_dc_refused;
        plane->samples[at] = (uint8_t)sample;
      }
    }
  }
  return vitrine_dc_complete;
}
