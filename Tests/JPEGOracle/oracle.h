// Reads DC coefficients with libjpeg, for comparison.
#pragma once
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

/// Writes the means of the blocks of a component, `stride` bytes apart, as samples. Returns false for a damaged file.
__attribute__((noinline)) static inline bool jpeg_oracle_read_means(
    const uint8_t *bytes, size_t count, int component, uint8_t *samples, size_t stride, size_t width, size_t height) {
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
  int quantizer = info.comp_info[component].quant_table->quantval[0];
  for (size_t y = 0; y < height; y++) {
    JBLOCKARRAY row = info.mem->access_virt_barray(
        (j_common_ptr)&info, coefficients[component], (JDIMENSION)y, 1, FALSE);
    for (size_t x = 0; x < width; x++) {
      int sample = ((row[0][x][0] * quantizer + 4) >> 3) + 128;
      samples[y * stride + x] = sample < 0 ? 0 : sample > 255 ? 255 : (uint8_t)sample;
    }
  }
  jpeg_destroy_decompress(&info);
  return true;
}
