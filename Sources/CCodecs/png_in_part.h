// Decodes a PNG while its bytes arrive, with libpng's progressive reader. On an error, libpng jumps to the entry
// function as described in png_decoding.h; no jump crosses `take_row`, which has returned by then.
#pragma once
#include <stdint.h>
#include "png_decoding.h"

typedef struct {
  vitrine_png png;
  size_t bytes_per_row;
  /// Called with each row of an image that is not interlaced, from the top.
  void (*take_row)(void *taker, const unsigned char *row);
  void *taker;
  /// All rows of an interlaced image, filled in block by block; null until `make_pixels` is called for the first row.
  unsigned char *pixels;
  /// Returns zeroed memory for all rows.
  unsigned char *(*make_pixels)(void *taker);
  /// Called for each row; returns true to stop decoding.
  bool (*is_cancelled)(void *taker);
  /// True once `is_cancelled` has returned true.
  bool was_cancelled;
  uint32_t height;
  /// The number of received rows, counted in each pass.
  size_t rows;
  /// The pass of the newest row, 0 to 6.
  int pass;
  bool is_interlaced;
  /// True once every pixel has arrived.
  bool is_complete;
} vitrine_png_in_part;

static inline void vitrine_png_header_came(png_structp png, png_infop info) {
  vitrine_png_in_part *self = (vitrine_png_in_part *)png_get_progressive_ptr(png);
  vitrine_png_ask_for_pixels(&self->png);
  if (png_get_rowbytes(png, info) != self->bytes_per_row || png_get_image_height(png, info) != self->height)
    png_error(png, "the size differs from the header");
  self->is_interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
}

static inline void vitrine_png_row_came(png_structp png, png_bytep row, png_uint_32 y, int pass) {
  vitrine_png_in_part *self = (vitrine_png_in_part *)png_get_progressive_ptr(png);
  // The row is null if the pass does not change it.
  if (!row || y >= self->height) return;
  if (self->is_cancelled(self->taker)) {
    self->was_cancelled = true;
    png_error(png, "cancelled");
  }
  self->rows++;
  self->pass = pass;
  // The last pass of an interlaced image has every second row.
  self->is_complete = self->is_interlaced ? pass == 6 && y + 2 >= self->height : y + 1 == self->height;
  if (!self->is_interlaced) {
    self->take_row(self->taker, row);
    return;
  }
  if (!self->pixels) self->pixels = self->make_pixels(self->taker);
  if (!self->pixels) png_error(png, "out of memory");
  png_progressive_combine_row(png, self->pixels + (size_t)y * self->bytes_per_row, row);
}

static inline void vitrine_png_end_came(png_structp png, png_infop info) {
  (void)info;
  ((vitrine_png_in_part *)png_get_progressive_ptr(png))->is_complete = true;
}

/// Returns a decoder that is ready for bytes, or null. The caller must close it. `make_pixels` and `is_cancelled` are
/// called during `vitrine_png_feed`.
__attribute__((noinline)) static inline vitrine_png_in_part *vitrine_png_open_in_part(
    size_t bytes_per_row, uint32_t height, bool blue_first, unsigned char *(*make_pixels)(void *taker),
    bool (*is_cancelled)(void *taker)) {
  vitrine_png_in_part *self = (vitrine_png_in_part *)calloc(1, sizeof(vitrine_png_in_part));
  if (!self) return NULL;
  self->bytes_per_row = bytes_per_row;
  self->height = height;
  self->make_pixels = make_pixels;
  self->is_cancelled = is_cancelled;
  self->png.blue_first = blue_first;
  self->png.png = png_create_read_struct(
      PNG_LIBPNG_VER_STRING, &self->png, vitrine_png_fail, vitrine_png_discard_warning);
  if (!self->png.png) return self;
  if (setjmp(png_jmpbuf(self->png.png))) return self;
  self->png.info = png_create_info_struct(self->png.png);
  vitrine_png_keep_to_pixels(&self->png);
  png_set_progressive_read_fn(
      self->png.png, self, vitrine_png_header_came, vitrine_png_row_came, vitrine_png_end_came);
  return self;
}

/// Decodes the next bytes. Calls `take_row` with `taker` meanwhile. Returns false on an error.
__attribute__((noinline)) static inline bool vitrine_png_feed(
    vitrine_png_in_part *self, const unsigned char *bytes, size_t count,
    void (*take_row)(void *taker, const unsigned char *row), void *taker) {
  if (!self->png.info) {
    snprintf(self->png.message, sizeof self->png.message, "out of memory");
    return false;
  }
  if (setjmp(png_jmpbuf(self->png.png))) return false;
  self->take_row = take_row;
  self->taker = taker;
  // libpng does not write to the bytes, although the parameter is not const.
  png_process_data(self->png.png, self->png.info, (png_bytep)bytes, count);
  return true;
}

static inline void vitrine_png_close_in_part(vitrine_png_in_part *self) {
  if (!self) return;
  if (self->png.png)
    png_destroy_read_struct(&self->png.png, self->png.info ? &self->png.info : NULL, NULL);
  free(self);
}
