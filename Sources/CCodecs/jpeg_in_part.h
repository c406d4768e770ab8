// A JPEG that is read while it comes: a source that runs dry, from which libjpeg goes on where it stopped
// (libjpeg.txt, "I/O suspension" and "Buffered-image mode"). Jumps land as in jpeg_decoding.h.
#pragma once
#include "jpeg_decoding.h"

static inline void vitrine_jpeg_ignore_source(j_decompress_ptr info) { (void)info; }

/// False suspends the decoder.
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

/// Gets a decoder ready for bytes that are still coming.
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

/// Hands over all that has come, wherever it lies now; it must stay there until `vitrine_jpeg_let_go`. False if that
/// is less than has been read.
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

/// Remembers how much of `count` bytes was read, and forgets where they lie.
static inline void vitrine_jpeg_let_go(vitrine_jpeg *jpeg, size_t count) {
  jpeg->consumed = count - jpeg->info.src->bytes_in_buffer;
  jpeg->info.src->next_input_byte = NULL;
  jpeg->info.src->bytes_in_buffer = 0;
}

/// Reads up to the first scan: 1 once it is there, 0 while it is not, -1 on errors.
__attribute__((noinline)) static inline int vitrine_jpeg_read_header_in_part(vitrine_jpeg *jpeg) {
  if (setjmp(jpeg->landing)) return -1;
  if (jpeg_read_header(&jpeg->info, TRUE) == JPEG_SUSPENDED) return 0;
  jpeg->has_multiple_scans = jpeg_has_multiple_scans(&jpeg->info);
  // Several scans are shown one by one.
  jpeg->info.buffered_image = jpeg->has_multiple_scans;
  return 1;
}

/// Unpacks the coefficients of all scans that have come.
__attribute__((noinline)) static inline bool vitrine_jpeg_absorb(vitrine_jpeg *jpeg) {
  if (setjmp(jpeg->landing)) return false;
  for (;;) {
    int result = jpeg_consume_input(&jpeg->info);
    if (result == JPEG_SUSPENDED || result == JPEG_REACHED_EOI) return true;
    vitrine_jpeg_watch_scans((j_common_ptr)&jpeg->info);
  }
}

/// The newest scan that has come to its end; 0 while there is none.
static inline int vitrine_jpeg_last_whole_scan(const vitrine_jpeg *jpeg) {
  int scan = jpeg->info.input_scan_number;
  return jpeg_input_complete((j_decompress_ptr)&jpeg->info) ? scan : scan - 1;
}

/// Begins to show a scan that has come whole, with what has come of later ones.
__attribute__((noinline)) static inline bool vitrine_jpeg_show_scan(vitrine_jpeg *jpeg, int scan) {
  if (setjmp(jpeg->landing)) return false;
  return jpeg_start_output(&jpeg->info, scan);
}

/// Ends what `vitrine_jpeg_show_scan` began.
__attribute__((noinline)) static inline bool vitrine_jpeg_hide_scan(vitrine_jpeg *jpeg) {
  if (setjmp(jpeg->landing)) return false;
  return jpeg_finish_output(&jpeg->info);
}
