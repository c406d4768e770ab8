// Reads the DC coefficients of a baseline JPEG, which are the means of its blocks, and skips the AC coefficients. A small
// thumbnail needs no more, and skipping takes less than half of the time of decoding.
//
// libjpeg reads the header. An image with anything unusual or damaged is refused, and left to libjpeg.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "jpeg_dc_blocks.h"

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
} vitrine_dc_image;

typedef enum {
  vitrine_dc_complete,
  /// The data are damaged or unusual.
  vitrine_dc_refused,
  vitrine_dc_cancelled
} vitrine_dc_result;

static inline void vitrine_dc_close(vitrine_dc_image *image) {
  if (!image) return;
  for (int index = 0; index < 3; index++) free(image->planes[index].samples);
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

/// Returns the layout and the tables of an image without memory for samples, or null if `jpeg` is unusual or memory is
/// short. Call after `vitrine_jpeg_open`, and before `vitrine_jpeg_start`. The caller must close the image.
static inline vitrine_dc_image *vitrine_dc_prepare(const vitrine_jpeg *jpeg) {
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
  for (int index = 0; index < image->plane_count; index++) {
    if (vitrine_dc_set_up_plane(image, info, index)) continue;
    vitrine_dc_close(image);
    return NULL;
  }
  image->columns = vitrine_dc_blocks(info->image_width, 1, image->planes[0].horizontal);
  image->rows = vitrine_dc_blocks(info->image_height, 1, image->planes[0].vertical);
  return image;
}

/// Returns an image to read, or null, as `vitrine_dc_prepare` does.
static inline vitrine_dc_image *vitrine_dc_open(const vitrine_jpeg *jpeg) {
  vitrine_dc_image *image = vitrine_dc_prepare(jpeg);
  if (!image) return NULL;
  bool has_memory = true;
  for (int index = 0; index < image->plane_count && has_memory; index++) {
    vitrine_dc_plane *plane = image->planes + index;
    plane->stride = (size_t)image->columns * (size_t)plane->horizontal;
    plane->samples = (uint8_t *)malloc(plane->stride * image->rows * (size_t)plane->vertical);
    has_memory = plane->samples != NULL;
  }
  if (!has_memory) {
    vitrine_dc_close(image);
    return NULL;
  }
  image->source.next = jpeg->info.src->next_input_byte;
  image->source.end = jpeg->info.src->next_input_byte + jpeg->info.src->bytes_in_buffer;
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
