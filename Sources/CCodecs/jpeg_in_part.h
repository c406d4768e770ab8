// Decodes a JPEG while its bytes arrive: libjpeg suspends at the end of the received bytes and continues where it
// stopped (libjpeg.txt, "I/O suspension" and "Buffered-image mode"). Errors are reported as in jpeg_decoding.h.
#pragma once
#include "jpeg_decoding.h"

static inline void vitrine_jpeg_ignore_source(j_decompress_ptr info) { (void)info; }

/// Returns false, which suspends the decoder.
static inline boolean vitrine_jpeg_run_dry(j_decompress_ptr info) {
  (void)info;
  return FALSE;
}

static inline void vitrine_jpeg_skip(j_decompress_ptr info, long count) {
  if (count <= 0) return;
  vitrine_jpeg *jpeg = (vitrine_jpeg *)info->client_data;
  size_t here = (size_t)count < info->src->bytes_in_buffer ? (size_t)count : info->src->bytes_in_buffer;
  info->src->next_input_byte += here;
  info->src->bytes_in_buffer -= here;
  jpeg->to_skip += (size_t)count - here;
}

/// Prepares a decoder for bytes that are still arriving.
__attribute__((noinline)) static inline bool vitrine_jpeg_open_in_part(vitrine_jpeg *jpeg) {
  vitrine_jpeg_listen(jpeg);
  if (setjmp(jpeg->landing)) return false;
  jpeg_create_decompress(&jpeg->info);
  jpeg->progress.progress_monitor = vitrine_jpeg_watch_scans;
  jpeg->info.progress = &jpeg->progress;
  struct jpeg_source_mgr *source = (struct jpeg_source_mgr *)jpeg->info.mem->alloc_small(
      (j_common_ptr)&jpeg->info, JPOOL_PERMANENT, sizeof(struct jpeg_source_mgr));
  memset(source, 0, sizeof *source);
  source->init_source = vitrine_jpeg_ignore_source;
  source->fill_input_buffer = vitrine_jpeg_run_dry;
  source->skip_input_data = vitrine_jpeg_skip;
  source->resync_to_restart = jpeg_resync_to_restart;
  source->term_source = vitrine_jpeg_ignore_source;
  jpeg->info.src = source;
  return true;
}

/// Provides all bytes received so far, at any address. They must stay there until `vitrine_jpeg_let_go`. Returns false
/// if `count` is less than the number of bytes already read.
static inline bool vitrine_jpeg_hand_over(vitrine_jpeg *jpeg, const unsigned char *bytes, size_t count) {
  if (count < jpeg->consumed) return false;
  size_t left = count - jpeg->consumed;
  size_t skipped = jpeg->to_skip < left ? jpeg->to_skip : left;
  jpeg->consumed += skipped;
  jpeg->to_skip -= skipped;
  jpeg->info.src->next_input_byte = bytes + jpeg->consumed;
  jpeg->info.src->bytes_in_buffer = left - skipped;
  return true;
}

/// Records how many of the `count` bytes have been read, and clears the pointers to the bytes.
static inline void vitrine_jpeg_let_go(vitrine_jpeg *jpeg, size_t count) {
  jpeg->consumed = count - jpeg->info.src->bytes_in_buffer;
  jpeg->info.src->next_input_byte = NULL;
  jpeg->info.src->bytes_in_buffer = 0;
}

/// Reads up to the first scan. Returns 1 when the header is complete, 0 if more bytes are needed, and -1 on an error.
__attribute__((noinline)) static inline int vitrine_jpeg_read_header_in_part(vitrine_jpeg *jpeg) {
  if (setjmp(jpeg->landing)) return -1;
  if (jpeg_read_header(&jpeg->info, TRUE) == JPEG_SUSPENDED) return 0;
  jpeg->has_multiple_scans = jpeg_has_multiple_scans(&jpeg->info);
  // In buffered-image mode, each scan can be shown before the next one has arrived.
  jpeg->info.buffered_image = jpeg->has_multiple_scans;
  return 1;
}

/// Unpacks the coefficients of all bytes received so far.
__attribute__((noinline)) static inline bool vitrine_jpeg_read_coefficients(vitrine_jpeg *jpeg) {
  if (setjmp(jpeg->landing)) return false;
  for (;;) {
    int result = jpeg_consume_input(&jpeg->info);
    if (result == JPEG_SUSPENDED || result == JPEG_REACHED_EOI) return true;
    vitrine_jpeg_watch_scans((j_common_ptr)&jpeg->info);
  }
}

/// Returns the number of the last complete scan; 0 if there is none.
static inline int vitrine_jpeg_last_complete_scan(const vitrine_jpeg *jpeg) {
  int scan = jpeg->info.input_scan_number;
  return jpeg_input_complete((j_decompress_ptr)&jpeg->info) ? scan : scan - 1;
}

/// Begins the output of a complete scan, refined by the received part of later scans.
__attribute__((noinline)) static inline bool vitrine_jpeg_show_scan(vitrine_jpeg *jpeg, int scan) {
  if (setjmp(jpeg->landing)) return false;
  return jpeg_start_output(&jpeg->info, scan);
}

/// Ends the output that `vitrine_jpeg_show_scan` has begun.
__attribute__((noinline)) static inline bool vitrine_jpeg_hide_scan(vitrine_jpeg *jpeg) {
  if (setjmp(jpeg->landing)) return false;
  return jpeg_finish_output(&jpeg->info);
}
