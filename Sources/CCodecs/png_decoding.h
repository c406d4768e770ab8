// libpng reports errors by longjmp. Each function that calls libpng and can fail calls setjmp itself, so that no jump
// crosses a Swift frame. On an error it returns false, and `message` has the reason.
#pragma once
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <png.h>

typedef struct {
  png_structp png;
  png_infop info;
  const unsigned char *next;
  size_t left;
  char message[128];
  bool blue_first;
  /// True if opaque images have rows of three bytes per pixel.
  bool leaves_out_alpha;
} vitrine_png;

static inline void vitrine_png_fail(png_structp png, png_const_charp text) {
  vitrine_png *self = (vitrine_png *)png_get_error_ptr(png);
  snprintf(self->message, sizeof self->message, "%s", text);
  png_longjmp(png, 1);
}

static inline void vitrine_png_discard_warning(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

static inline void vitrine_png_supply(png_structp png, png_bytep target, size_t count) {
  vitrine_png *self = (vitrine_png *)png_get_io_ptr(png);
  if (count > self->left) png_error(png, "the data end early");
  memcpy(target, self->next, count);
  self->next += count;
  self->left -= count;
}

/// Allocates a decoder, or returns null. The caller must close it.
static inline vitrine_png *vitrine_png_create(void) {
  return (vitrine_png *)calloc(1, sizeof(vitrine_png));
}

/// Makes libpng skip all chunks except IHDR, PLTE, tRNS, IDAT and IEND, so that no text or profile is decompressed.
static inline void vitrine_png_keep_to_pixels(vitrine_png *self) {
  png_set_keep_unknown_chunks(self->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
}

/// Requests four bytes per pixel, or three. Called once the header has been read.
static inline void vitrine_png_ask_for_pixels(vitrine_png *self) {
  png_set_expand(self->png);
  png_set_scale_16(self->png);
  png_set_gray_to_rgb(self->png);
  if (!self->leaves_out_alpha) png_set_add_alpha(self->png, 0xFF, PNG_FILLER_AFTER);
  if (self->blue_first) png_set_bgr(self->png);
  png_set_interlace_handling(self->png);
  png_read_update_info(self->png, self->info);
}

/// Reads the header, up to the pixels, and requests four bytes per pixel, or, if `leaves_out_alpha` is set and the image
/// is opaque, three. `bytes` must outlive the decoder. If `ignores_checksums` is true, the checksums of chunks are not
/// verified.
__attribute__((noinline)) static inline bool vitrine_png_open(
    vitrine_png *self, const unsigned char *bytes, size_t count, bool blue_first, bool ignores_checksums) {
  self->next = bytes;
  self->left = count;
  self->png = png_create_read_struct(
      PNG_LIBPNG_VER_STRING, self, vitrine_png_fail, vitrine_png_discard_warning);
  if (!self->png) return false;
  if (setjmp(png_jmpbuf(self->png))) return false;
  self->info = png_create_info_struct(self->png);
  if (!self->info) return false;
  png_set_read_fn(self->png, self, vitrine_png_supply);
  self->blue_first = blue_first;
  vitrine_png_keep_to_pixels(self);
  if (ignores_checksums) png_set_crc_action(self->png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
  png_read_info(self->png, self->info);
  vitrine_png_ask_for_pixels(self);
  return true;
}

static inline size_t vitrine_png_bytes_per_row(const vitrine_png *self) {
  return png_get_rowbytes(self->png, self->info);
}

/// Writes the next `count` rows, `stride` bytes apart. For an interlaced image, each row is updated with the pixels of
/// the current pass; reading all rows once completes a pass.
__attribute__((noinline)) static inline bool vitrine_png_read_rows(
    vitrine_png *self, unsigned char *pixels, size_t stride, int count) {
  if (setjmp(png_jmpbuf(self->png))) return false;
  for (int row = 0; row < count; row++) png_read_row(self->png, pixels + stride * (size_t)row, NULL);
  return true;
}

static inline const char *vitrine_png_message(const vitrine_png *self) { return self->message; }

static inline void vitrine_png_close(vitrine_png *self) {
  if (!self) return;
  if (self->png) png_destroy_read_struct(&self->png, self->info ? &self->info : NULL, NULL);
  free(self);
}
