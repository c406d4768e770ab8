// libjpeg reports errors by calling a function that must not return. Each function that calls libjpeg and can fail
// calls setjmp itself, so that no jump crosses a Swift frame. On an error it returns false or -1; `message` has the
// reason, or `stop` if the data are undamaged.
#pragma once
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jpeglib.h>
#include <jerror.h>

/// The reason for stopping a decode of undamaged data.
typedef enum {
  vitrine_jpeg_not_stopped,
  vitrine_jpeg_cancelled,
  /// All scans together have more samples than the limit.
  vitrine_jpeg_too_many_samples
} vitrine_jpeg_stop;

typedef struct {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_progress_mgr progress;
  jmp_buf landing;
  char message[JMSG_LENGTH_MAX];
  /// True if the coefficients of the whole image are kept: the image is progressive, or has several scans with some of
  /// the components each.
  bool has_multiple_scans;
  /// The maximum number of scans. Each scan may cost a pass over the image for a few bytes.
  int max_scans;
  /// The number of samples that scans may still unpack, and the last scan that was counted.
  uint64_t remaining_samples;
  int counted_scan;
  /// Called between rows of blocks; returns true to stop decoding. May be null.
  bool (*is_cancelled)(void *context);
  void *context;
  vitrine_jpeg_stop stop;
  /// For an image that is still arriving: the number of bytes that have been read, and the number of bytes not yet
  /// received that are to be skipped.
  size_t consumed;
  size_t to_skip;
} vitrine_jpeg;

static inline void vitrine_jpeg_fail(j_common_ptr info) {
  vitrine_jpeg *jpeg = (vitrine_jpeg *)info->client_data;
  info->err->format_message(info, jpeg->message);
  longjmp(jpeg->landing, 1);
}

static inline void vitrine_jpeg_discard_message(j_common_ptr info) { (void)info; }

/// Ignores warnings, except those that mean that the rest of the image is missing.
static inline void vitrine_jpeg_warn(j_common_ptr info, int level) {
  vitrine_jpeg *jpeg = (vitrine_jpeg *)info->client_data;
  if (level >= 0) return;
  info->err->num_warnings++;
  int code = info->err->msg_code;
  bool at_end = code == JWRN_HIT_MARKER && jpeg->info.unread_marker == JPEG_EOI;
  // For a single scan, JPEG_EOF alone means that only the end marker is missing. With several scans, whole scans may be
  // missing.
  bool cut = code == JWRN_JPEG_EOF && jpeg->has_multiple_scans;
  if (at_end || cut) vitrine_jpeg_fail(info);
}

/// Returns the number of samples that the current scan unpacks.
static inline uint64_t vitrine_jpeg_scan_samples(const struct jpeg_decompress_struct *info) {
  uint64_t blocks = 0;
  for (int index = 0; index < info->comps_in_scan; index++) {
    const jpeg_component_info *component = info->cur_comp_info[index];
    if (component) blocks += (uint64_t)component->width_in_blocks * component->height_in_blocks;
  }
  return blocks * DCTSIZE2;
}

/// Called for each row of blocks of each scan. Checks for cancellation and enforces the limits of scans and samples.
static inline void vitrine_jpeg_watch_scans(j_common_ptr info) {
  vitrine_jpeg *jpeg = (vitrine_jpeg *)info->client_data;
  if (jpeg->is_cancelled && jpeg->is_cancelled(jpeg->context)) {
    jpeg->stop = vitrine_jpeg_cancelled;
    longjmp(jpeg->landing, 1);
  }
  int scan = jpeg->info.input_scan_number;
  if (!jpeg->has_multiple_scans || scan == jpeg->counted_scan) return;
  if (scan > jpeg->max_scans) {
    snprintf(jpeg->message, sizeof jpeg->message, "more than %d scans", jpeg->max_scans);
    longjmp(jpeg->landing, 1);
  }
  jpeg->counted_scan = scan;
  uint64_t samples = vitrine_jpeg_scan_samples(&jpeg->info);
  if (samples > jpeg->remaining_samples) {
    jpeg->stop = vitrine_jpeg_too_many_samples;
    longjmp(jpeg->landing, 1);
  }
  jpeg->remaining_samples -= samples;
}

/// Allocates a decoder, or returns null. The caller must close it.
static inline vitrine_jpeg *vitrine_jpeg_create(int max_scans) {
  vitrine_jpeg *jpeg = (vitrine_jpeg *)calloc(1, sizeof(vitrine_jpeg));
  if (!jpeg) return NULL;
  jpeg->max_scans = max_scans;
  jpeg->remaining_samples = UINT64_MAX;
  return jpeg;
}

static inline void vitrine_jpeg_listen(vitrine_jpeg *jpeg) {
  jpeg->info.err = jpeg_std_error(&jpeg->errors);
  jpeg->errors.error_exit = vitrine_jpeg_fail;
  jpeg->errors.emit_message = vitrine_jpeg_warn;
  jpeg->errors.output_message = vitrine_jpeg_discard_message;
  jpeg->info.client_data = jpeg;
}

/// Reads the header, up to the first scan. `bytes` must outlive the decoder.
__attribute__((noinline)) static inline bool vitrine_jpeg_open(
    vitrine_jpeg *jpeg, const unsigned char *bytes, size_t count) {
  vitrine_jpeg_listen(jpeg);
  if (setjmp(jpeg->landing)) return false;
  jpeg_create_decompress(&jpeg->info);
  jpeg->progress.progress_monitor = vitrine_jpeg_watch_scans;
  jpeg->info.progress = &jpeg->progress;
  jpeg_mem_src(&jpeg->info, bytes, count);
  jpeg_read_header(&jpeg->info, TRUE);
  jpeg->has_multiple_scans = jpeg_has_multiple_scans(&jpeg->info);
  return true;
}

/// Starts decoding at `eighths`/8 of the size, and sets `info.output_width` and `output_height`. Refuses an image whose
/// coefficients take more than `max_memory` bytes.
__attribute__((noinline)) static inline bool vitrine_jpeg_start(
    vitrine_jpeg *jpeg, unsigned eighths, J_COLOR_SPACE order, long max_memory) {
  if (setjmp(jpeg->landing)) return false;
  jpeg->info.mem->max_memory_to_use = max_memory;
  jpeg->info.scale_num = eighths;
  jpeg->info.scale_denom = 8;
  jpeg->info.out_color_space = order;
  jpeg_start_decompress(&jpeg->info);
  return true;
}

/// Writes `count` rows, `stride` bytes apart. Returns the number of rows, which is less than `count` at the end of the
/// image or of the received bytes, or -1.
__attribute__((noinline)) static inline int vitrine_jpeg_read_rows(
    vitrine_jpeg *jpeg, unsigned char *pixels, size_t stride, int count) {
  if (setjmp(jpeg->landing)) return -1;
  JDIMENSION first = jpeg->info.output_scanline;
  JDIMENSION end = jpeg->info.output_height;
  if ((JDIMENSION)count < end - first) end = first + (JDIMENSION)count;
  while (jpeg->info.output_scanline < end) {
    JSAMPROW rows[8];
    JDIMENSION wanted = end - jpeg->info.output_scanline;
    if (wanted > 8) wanted = 8;
    for (JDIMENSION row = 0; row < wanted; row++)
      rows[row] = pixels + stride * (jpeg->info.output_scanline - first + row);
    if (jpeg_read_scanlines(&jpeg->info, rows, wanted) == 0) break;
  }
  return (int)(jpeg->info.output_scanline - first);
}

static inline const char *vitrine_jpeg_message(const vitrine_jpeg *jpeg) { return jpeg->message; }

static inline void vitrine_jpeg_close(vitrine_jpeg *jpeg) {
  if (!jpeg) return;
  jpeg_destroy_decompress(&jpeg->info);
  free(jpeg);
}
