// Reads the lowest coefficients with libjpeg, for comparison.
#pragma once
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <jpeglib.h>

typedef struct {
  struct jpeg_error_mgr errors;
  jmp_buf landing;
} jpeg_oracle_errors;

static inline void jpeg_oracle_fail(j_common_ptr info) {
  longjmp(((jpeg_oracle_errors *)info->err)->landing, 1);
}

static inline void jpeg_oracle_count(j_common_ptr info, int level) {
  if (level < 0) info->err->num_warnings++;
}

static inline uint8_t jpeg_oracle_sample(double value) {
  return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

/// Returns the difference of the mean of a quarter of a block from that of the block (ITU T.81, A.3.3), computed from
/// the lowest two frequencies in each direction.
static inline double jpeg_oracle_difference(const JCOEF *block, const UINT16 *quantizers, int x, int y) {
  // The mean of cos((2 k + 1) pi / 16) for k from 0 to 3.
  const double half = 0.640728861;
  double across = x == 0 ? half : -half, down = y == 0 ? half : -half;
  return block[1] * quantizers[1] * across / sqrt(32) + block[8] * quantizers[8] * down / sqrt(32)
         + block[9] * quantizers[9] * across * down / 4;
}

/// Returns the mean of a quarter of a block. All differences shrink until none exceeds the range of samples.
static inline uint8_t jpeg_oracle_quarter(const JCOEF *block, const UINT16 *quantizers, int x, int y) {
  double middle = fmin(255, fmax(0, block[0] * quantizers[0] / 8.0 + 128)), kept = 1;
  for (int index = 0; index < 4; index++) {
    double difference = jpeg_oracle_difference(block, quantizers, index & 1, index >> 1);
    if (middle + difference > 255) kept = fmin(kept, (255 - middle) / difference);
    if (middle + difference < 0) kept = fmin(kept, -middle / difference);
  }
  return jpeg_oracle_sample(floor(middle + kept * jpeg_oracle_difference(block, quantizers, x, y) + 0.5));
}

/// Writes the means of a component, `stride` bytes apart, as samples: `means_per_side` on each side of a block, 1 or 2.
/// Returns false for a damaged file.
__attribute__((noinline)) static inline bool jpeg_oracle_read_means(
    const uint8_t *bytes, size_t count, int component, int means_per_side, uint8_t *samples, size_t stride,
    size_t width, size_t height) {
  struct jpeg_decompress_struct info;
  jpeg_oracle_errors errors;
  info.err = jpeg_std_error(&errors.errors);
  errors.errors.error_exit = jpeg_oracle_fail;
  errors.errors.emit_message = jpeg_oracle_count;
  if (setjmp(errors.landing)) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes, count);
  jpeg_read_header(&info, TRUE);
  jvirt_barray_ptr *coefficients = jpeg_read_coefficients(&info);
  const UINT16 *quantizers = info.comp_info[component].quant_table->quantval;
  for (size_t y = 0; y < height; y++) {
    JBLOCKARRAY row = info.mem->access_virt_barray(
        (j_common_ptr)&info, coefficients[component], (JDIMENSION)y / (JDIMENSION)means_per_side, 1, FALSE);
    for (size_t x = 0; x < width; x++) {
      const JCOEF *block = row[0][x / (size_t)means_per_side];
      // One mean as libjpeg rounds it.
      samples[y * stride + x] = means_per_side == 1
                                    ? jpeg_oracle_sample(((block[0] * quantizers[0] + 4) >> 3) + 128)
                                    : jpeg_oracle_quarter(block, quantizers, x & 1, y & 1);
    }
  }
  jpeg_destroy_decompress(&info);
  return true;
}
