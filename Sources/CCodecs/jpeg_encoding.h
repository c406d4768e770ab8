// libjpeg reports errors by calling a function that must not return. The function below calls setjmp itself, so that no
// jump crosses a Swift frame. On an error it returns null and sets `message`.
#pragma once
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <jpeglib.h>

typedef struct {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  jmp_buf landing;
  char *message;
} vitrine_jpeg_encoder;

static inline void vitrine_jpeg_encoder_fail(j_common_ptr info) {
  vitrine_jpeg_encoder *encoder = (vitrine_jpeg_encoder *)info->client_data;
  info->err->format_message(info, encoder->message);
  longjmp(encoder->landing, 1);
}

static inline void vitrine_jpeg_encoder_discard(j_common_ptr info) { (void)info; }

/// Encodes rows with four bytes per pixel and ignores the fourth. The caller frees the result. `message` must have room
/// for `JMSG_LENGTH_MAX` bytes.
__attribute__((noinline)) static inline unsigned char *vitrine_jpeg_encode(
    const unsigned char *pixels, int width, int height, bool blue_first, int quality, size_t *count,
    char *message) {
  // Allocated on the heap, because local variables that change between setjmp and longjmp are undefined after the jump.
  vitrine_jpeg_encoder *encoder = (vitrine_jpeg_encoder *)calloc(1, sizeof *encoder);
  unsigned char **buffer = (unsigned char **)calloc(1, sizeof *buffer);
  unsigned long *length = (unsigned long *)calloc(1, sizeof *length);
  unsigned char *result = NULL;
  if (encoder && buffer && length) {
    encoder->message = message;
    encoder->info.err = jpeg_std_error(&encoder->errors);
    encoder->errors.error_exit = vitrine_jpeg_encoder_fail;
    encoder->errors.output_message = vitrine_jpeg_encoder_discard;
    encoder->info.client_data = encoder;
    if (setjmp(encoder->landing) == 0) {
      jpeg_create_compress(&encoder->info);
      jpeg_mem_dest(&encoder->info, buffer, length);
      encoder->info.image_width = (JDIMENSION)width;
      encoder->info.image_height = (JDIMENSION)height;
      encoder->info.input_components = 4;
      encoder->info.in_color_space = blue_first ? JCS_EXT_BGRX : JCS_EXT_RGBX;
      jpeg_set_defaults(&encoder->info);
      jpeg_set_quality(&encoder->info, quality, TRUE);
      // No chroma subsampling.
      encoder->info.comp_info[0].h_samp_factor = 1;
      encoder->info.comp_info[0].v_samp_factor = 1;
      encoder->info.optimize_coding = TRUE;
      jpeg_start_compress(&encoder->info, TRUE);
      while (encoder->info.next_scanline < encoder->info.image_height) {
        JSAMPROW row = (JSAMPROW)(pixels + (size_t)encoder->info.next_scanline * (size_t)width * 4);
        jpeg_write_scanlines(&encoder->info, &row, 1);
      }
      jpeg_finish_compress(&encoder->info);
      result = *buffer;
      *count = *length;
    }
    jpeg_destroy_compress(&encoder->info);
    if (!result) free(*buffer);
  } else {
    snprintf(message, JMSG_LENGTH_MAX, "out of memory");
  }
  free(encoder);
  free(buffer);
  free(length);
  return result;
}
