// Reads the blocks of a scan of a JPEG: the DC coefficient of each, and no or a few of its AC coefficients.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "jpeg_dc_tables.h"

enum {
  /// The maximum number of blocks of an MCU (ITU T.81, B.2.3).
  vitrine_dc_mcu_blocks = 10,
  /// The maximum number of bytes of a block: a DC code, 63 AC codes, each of 16 bits, and their extra bits.
  vitrine_dc_block_bytes = (16 + vitrine_dc_largest_size + 63 * (16 + 15)) / 8 + 1,
  /// The maximum number of bytes that are read from the beginning of an MCU on, with the end of the last word.
  vitrine_dc_mcu_bytes = vitrine_dc_mcu_blocks * vitrine_dc_block_bytes + 16,
  /// The number of bytes of a scan that are kept at a time.
  vitrine_dc_window_bytes = 16 << 10,
  /// The length of `low`: a code that begins before index 4 moves on by 16 at most.
  vitrine_dc_low_count = 4 + 16,
};

/// The bytes of a scan up to the next marker, without the zeros after 0xFF.
typedef struct {
  /// The bytes of the file that have not been copied into the window.
  const uint8_t *next, *end;
  /// The number of bytes in the window, and the position of the next MCU in bits.
  size_t count, position;
  /// True if the bytes of the window are followed by a marker or the end of the file.
  bool is_last;
  /// Followed by zeros, so that an MCU of damaged data ends within the memory.
  uint8_t window[vitrine_dc_window_bytes + vitrine_dc_mcu_bytes];
} vitrine_dc_source;

/// Removes the bytes before the next MCU from the window, and fills the window up to a marker.
static inline void vitrine_dc_fill(vitrine_dc_source *source) {
  size_t used = source->position >> 3;
  if (used > source->count) used = source->count;
  source->count -= used;
  source->position -= used * 8;
  memmove(source->window, source->window + used, source->count);
  while (!source->is_last && source->count < vitrine_dc_window_bytes) {
    size_t room = vitrine_dc_window_bytes - source->count, rest = (size_t)(source->end - source->next);
    const uint8_t *mark = (const uint8_t *)memchr(source->next, 0xFF, rest < room ? rest : room);
    size_t length = mark ? (size_t)(mark - source->next) : rest < room ? rest : room;
    memcpy(source->window + source->count, source->next, length);
    source->count += length;
    source->next += length;
    rest -= length;
    if (mark && rest >= 2 && mark[1] == 0) {
      source->window[source->count++] = 0xFF;
      source->next += 2;
    } else if (mark || rest == 0) {
      source->is_last = true;
    }
  }
  memset(source->window + source->count, 0, vitrine_dc_mcu_bytes);
}

/// Goes on after the restart marker with this number. Returns false if there is none, or if bytes are left before it.
static inline bool vitrine_dc_restart(vitrine_dc_source *source, unsigned number) {
  if (!source->is_last) vitrine_dc_fill(source);
  bool is_at_end = source->is_last && (source->position + 7) / 8 == source->count;
  if (!is_at_end || source->end - source->next < 2 || source->next[1] != 0xD0 + number) return false;
  source->next += 2;
  source->count = source->position = 0;
  source->is_last = false;
  vitrine_dc_fill(source);
  return true;
}

/// Returns the bits from a position on, at least 57, followed by zeros.
static inline uint64_t vitrine_dc_word(const uint8_t *bytes, size_t position) {
  uint8_t next[8];
  memcpy(next, bytes + (position >> 3), 8);
  uint64_t word = 0;
  for (int index = 0; index < 8; index++) word = word << 8 | next[index];
  return word << (position & 7);
}

/// Returns the coefficient whose extra bits end at `end` bits from the beginning of a word. Extra bits that begin with 0
/// stand for a negative number (ITU T.81, F.2.2.1).
static inline int vitrine_dc_extend(uint64_t word, int end, int size) {
  uint32_t extra = (uint32_t)(word << (end - size) >> 1 >> (63 - size)), range = 1u << size;
  return (int)(extra - (extra < range >> 1 ? range - 1 : 0));
}

/// Reads the difference of a DC coefficient at the beginning of a word, and adds it to `mean`. Returns the number of bits,
/// at most 27; 0 for an invalid code.
static inline int vitrine_dc_read_difference(uint64_t word, const vitrine_dc_table *dc, uint32_t *mean) {
  const int shift = 64 - vitrine_dc_lookup_bits;
  int length = dc->lengths[word >> shift], size = dc->sizes[word >> shift];
  if (__builtin_expect(length == 0, 0)) {
    length = vitrine_dc_code_length(&dc->codes, (uint32_t)(word >> 48));
    if (length > 16) return 0;
    size = vitrine_dc_value(&dc->codes, (uint32_t)(word >> 48), length);
  }
  *mean += (uint32_t)vitrine_dc_extend(word, length + size, size);
  return length + size;
}

/// Returns the number of bits of the DC code at a position, which has been read, with its extra bits.
static inline int vitrine_dc_bits_of_mean(const uint8_t *bytes, size_t position, const vitrine_dc_table *dc) {
  uint32_t mean = 0;
  return vitrine_dc_read_difference(vitrine_dc_word(bytes, position), dc, &mean);
}

/// Bits that are read from memory in words.
typedef struct {
  /// The next bits, of which `valid` are before the byte at `next`. The others may follow in the word.
  uint64_t word;
  int valid;
  const uint8_t *next;
} vitrine_dc_bit_reader;

static inline __attribute__((always_inline)) void vitrine_dc_skip_bits(vitrine_dc_bit_reader *reader, int bits) {
  reader->word <<= bits;
  reader->valid -= bits;
}

/// Fills the word, of which at least 22 bits must be valid.
static inline __attribute__((always_inline)) void vitrine_dc_fill_bits(vitrine_dc_bit_reader *reader) {
  reader->word |= vitrine_dc_word(reader->next, 0) >> reader->valid;
  reader->next += (63 - reader->valid) >> 3;
  reader->valid |= 56;
}

/// Returns the entry of the AC code at the beginning of a word, whose length may exceed an index; zero for an invalid code.
static inline vitrine_dc_entry vitrine_dc_find_code(const vitrine_ac_table *ac, uint64_t word, int *size) {
  int length = vitrine_dc_code_length(&ac->codes, (uint32_t)(word >> 48));
  if (length > 16) return 0;
  vitrine_dc_entry entry = vitrine_dc_make_entry(length, vitrine_dc_value(&ac->codes, (uint32_t)(word >> 48), length));
  *size = vitrine_dc_bits(entry) - length;
  return entry;
}

/// Reads a block: adds the difference of its DC coefficient to `mean`, and moves `position` to its end. Returns false for
/// an invalid code, and for too many coefficients. Reads at most 16 bytes from the end of the block on.
///
/// `low` is null, or receives the AC coefficients 1 to 4 in the order of the file. Its other elements are scratch.
static inline __attribute__((always_inline)) bool vitrine_dc_read_coefficients(
    const uint8_t *bytes, size_t *position, const vitrine_dc_table *dc, const vitrine_ac_table *ac, uint32_t *mean,
    int low[vitrine_dc_low_count]) {
  const int shift = 64 - vitrine_dc_lookup_bits;
  vitrine_dc_bit_reader reader = {
      vitrine_dc_word(bytes, *position), 56 - (int)(*position & 7), bytes + (*position >> 3) + 7};
  int bits = vitrine_dc_read_difference(reader.word, dc, mean);
  if (bits == 0) return false;

  // In both loops, the word is filled while the processor waits for the entry: the entry does not depend on the new
  // bits, and there is no branch to predict. A code has 16 bits at most, and 22 are valid at least.
  int coefficient = 0;
  bool is_at_end = false;
  if (low) {
    low[1] = low[2] = low[3] = low[4] = 0;
    while (coefficient < 4 && !is_at_end) {
      vitrine_dc_skip_bits(&reader, bits);
      size_t index = reader.word >> shift;
      vitrine_dc_entry entry = ac->singles[index];
      int size = ac->sizes[index];
      vitrine_dc_fill_bits(&reader);
      if (__builtin_expect(entry == 0, 0)) entry = vitrine_dc_find_code(ac, reader.word, &size);
      if (entry == 0) return false;
      bits = vitrine_dc_bits(entry);
      is_at_end = entry & vitrine_dc_end_of_block;
      coefficient += vitrine_dc_coefficients(entry);
      if (!is_at_end) low[coefficient] = vitrine_dc_extend(reader.word, bits, size);
    }
  }
  while (!is_at_end) {
    vitrine_dc_skip_bits(&reader, bits);
    vitrine_dc_entry entry = ac->chains[reader.word >> shift];
    vitrine_dc_fill_bits(&reader);
    int count = coefficient + vitrine_dc_coefficients(entry);
    if (__builtin_expect(entry == 0 || count >= 63, 0)) {
      // The codes after the last coefficient belong to the next block.
      entry = ac->singles[reader.word >> shift];
      int size;
      if (entry == 0) entry = vitrine_dc_find_code(ac, reader.word, &size);
      if (entry == 0) return false;
      count = coefficient + vitrine_dc_coefficients(entry);
      if (count > 63) return false;
    }
    coefficient = count;
    // Extra bits are skipped unseen.
    bits = vitrine_dc_bits(entry);
    is_at_end = entry & vitrine_dc_end_of_block || coefficient == 63;
  }
  *position = (size_t)(reader.next - bytes) * 8 - (size_t)(reader.valid - bits);
  return true;
}

/// Reads the DC coefficient of a block, as `vitrine_dc_read_coefficients` does.
static inline bool vitrine_dc_read_block(
    const uint8_t *bytes, size_t *position, const vitrine_dc_table *dc, const vitrine_ac_table *ac, uint32_t *mean) {
  return vitrine_dc_read_coefficients(bytes, position, dc, ac, mean, NULL);
}

/// Returns the mean of a block, as the inverse DCT of libjpeg does (`jpeg_idct_1x1`); -1 far outside the range of samples,
/// where libjpeg's table begins again.
static inline int vitrine_dc_sample(uint32_t mean, int quantizer) {
  int sample = ((int16_t)mean * quantizer + 4) >> 3;
  if (sample < -512 || sample > 511) return -1;
  return sample < -128 ? 0 : sample > 127 ? 255 : sample + 128;
}

/// Writes the means of the quarters of a block, in rows that are `stride` bytes apart, computed from the lowest two
/// frequencies in each direction. Returns false for coefficients beyond the range of samples.
///
/// `low` are coefficients in the order of the file, and `quantizers` the factors of the coefficients at 0, 1, 2 and 4.
static inline bool vitrine_dc_write_quarters(
    uint32_t mean, const int low[vitrine_dc_low_count], const int quantizers[4], uint8_t *samples, size_t stride) {
  // The largest coefficient of 8-bit samples has 10 bits (ITU T.81, F.1.2.2.1).
  const int limit = 1 << 10;
  int middle = (int16_t)mean * quantizers[0];
  if (middle < -4096 || middle > 4095 || abs(low[1]) >= limit || abs(low[2]) >= limit || abs(low[4]) >= limit)
    return false;
  // 1024 times the inverse DCT (ITU T.81, A.3.3), of which the cosines are averaged over half of the block.
  const int black = 512, white = (255 << 10) + 512;
  int base = middle * 128 + (128 << 10) + 512;
  base = base < black ? black : base > white ? white : base;
  int across = low[1] * quantizers[1] * 116, down = low[2] * quantizers[2] * 116;
  int diagonal = low[4] * quantizers[3] * 105;
  int quarters[4] = {
      base + across + down + diagonal, base - across + down - diagonal, base + across - down - diagonal,
      base - across - down + diagonal};
  int least = quarters[0], most = quarters[0];
  for (int index = 1; index < 4; index++) {
    least = quarters[index] < least ? quarters[index] : least;
    most = quarters[index] > most ? quarters[index] : most;
  }
  // Four coefficients overshoot at a sharp edge. The differences shrink together, so that the mean of the block stays.
  if (__builtin_expect(least < black || most > white, 0)) {
    int64_t kept = 1 << 16;
    if (most > white) kept = ((int64_t)(white - base) << 16) / (most - base);
    if (least < black) {
      int64_t other = ((int64_t)(base - black) << 16) / (base - least);
      kept = other < kept ? other : kept;
    }
    for (int index = 0; index < 4; index++) quarters[index] = base + (int)((quarters[index] - base) * kept / (1 << 16));
  }
  for (int index = 0; index < 4; index++)
    samples[(size_t)(index >> 1) * stride + (size_t)(index & 1)] = (uint8_t)(quarters[index] >> 10);
  return true;
}
