// Tables that decode the DC codes of a baseline JPEG, decode its AC codes one at a time, and skip several at a time.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "jpeg_dc_header.h"

enum {
  /// The number of bits that select an entry of a table.
  vitrine_dc_lookup_bits = 11,
  vitrine_dc_entry_count = 1 << vitrine_dc_lookup_bits,
  vitrine_dc_index_mask = vitrine_dc_entry_count - 1,
  /// The largest number of extra bits of a DC coefficient of 8-bit samples (ITU T.81, F.1.2.1.1).
  vitrine_dc_largest_size = 11,
};

/// The meaning of the bits of an index: 5 bits with the number of bits to skip, 7 bits with the number of AC coefficients
/// that these bits stand for, and a bit for the end of the block. Zero for an invalid code, and for one that does not
/// fit an index.
typedef uint16_t vitrine_dc_entry;

enum { vitrine_dc_end_of_block = 1 << 15 };

static inline int vitrine_dc_bits(vitrine_dc_entry entry) { return entry & 31; }
static inline int vitrine_dc_coefficients(vitrine_dc_entry entry) { return entry >> 5 & 127; }

/// A Huffman table. The codes of a length are consecutive numbers (ITU T.81, annex C).
typedef struct {
  /// For each length, the end of the codes up to this length, as the first 16 bits of a code.
  uint32_t ends[17];
  /// For each length, the number to add to a code for the index of its value.
  int offsets[17];
  uint8_t values[256];
} vitrine_dc_codes;

typedef struct {
  vitrine_dc_codes codes;
  /// The length of the code at the beginning of an index, and the number of its extra bits. The length is zero if the
  /// code does not fit.
  uint8_t lengths[vitrine_dc_entry_count], sizes[vitrine_dc_entry_count];
} vitrine_dc_table;

typedef struct {
  vitrine_dc_codes codes;
  /// The first code of an index with its extra bits.
  vitrine_dc_entry singles[vitrine_dc_entry_count];
  /// All codes of an index with their extra bits.
  vitrine_dc_entry chains[vitrine_dc_entry_count];
  /// The number of extra bits of the first code of an index.
  uint8_t sizes[vitrine_dc_entry_count];
} vitrine_ac_table;

/// Returns false for a table that libjpeg refuses.
static inline bool vitrine_dc_make_codes(vitrine_dc_codes *codes, const vitrine_dc_huffman *table) {
  uint32_t code = 0;
  int count = 0;
  for (int length = 1; length <= 16; length++) {
    int number = table->counts[length];
    if (count + number > 256) return false;
    codes->offsets[length] = count - (int)code;
    code += (uint32_t)number;
    count += number;
    // The code of ones alone is reserved.
    if (number > 0 && code >= 1u << length) return false;
    codes->ends[length] = code << (16 - length);
    code <<= 1;
  }
  memcpy(codes->values, table->values, sizeof codes->values);
  return count > 0;
}

/// Returns the length of the code at the beginning of 16 bits; 17 for an invalid code.
static inline int vitrine_dc_code_length(const vitrine_dc_codes *codes, uint32_t bits) {
  int length = 1;
  while (length <= 16 && bits >= codes->ends[length]) length++;
  return length;
}

static inline uint8_t vitrine_dc_value(const vitrine_dc_codes *codes, uint32_t bits, int length) {
  return codes->values[((int)(bits >> (16 - length)) + codes->offsets[length]) & 255];
}

/// Returns the entry of an AC code; zero for a code that only progressive images have (ITU T.81, F.1.2.2.1).
static inline vitrine_dc_entry vitrine_dc_make_entry(int length, uint8_t value) {
  int run = value >> 4, size = value & 15;
  if (size == 0 && run == 0) return (vitrine_dc_entry)(length | vitrine_dc_end_of_block);
  if (size == 0 && run < 15) return 0;
  return (vitrine_dc_entry)(length + size + ((run + 1) << 5));
}

static inline bool vitrine_dc_make_dc_table(vitrine_dc_table *table, const vitrine_dc_huffman *source) {
  if (!source->is_present || !vitrine_dc_make_codes(&table->codes, source)) return false;
  int count = 0;
  for (int length = 1; length <= 16; length++) count += source->counts[length];
  for (int index = 0; index < count; index++)
    if (table->codes.values[index] > vitrine_dc_largest_size) return false;
  uint32_t index = 0;
  int number = 0;
  for (int length = 1; length <= vitrine_dc_lookup_bits; length++) {
    size_t indexes = (size_t)1 << (vitrine_dc_lookup_bits - length);
    for (int code = 0; code < source->counts[length]; code++) {
      memset(table->lengths + index, length, indexes);
      memset(table->sizes + index, table->codes.values[number++], indexes);
      index += (uint32_t)indexes;
    }
  }
  memset(table->lengths + index, 0, vitrine_dc_entry_count - index);
  memset(table->sizes + index, 0, vitrine_dc_entry_count - index);
  return true;
}

static inline bool vitrine_dc_make_ac_table(vitrine_ac_table *table, const vitrine_dc_huffman *source) {
  if (!source->is_present || !vitrine_dc_make_codes(&table->codes, source)) return false;
  // The lengths of codes without their extra bits. The codes that do not fit follow those that do.
  uint8_t lengths[vitrine_dc_entry_count];
  uint32_t end = 0;
  int number = 0;
  for (int length = 1; length <= vitrine_dc_lookup_bits; length++) {
    uint32_t indexes = 1u << (vitrine_dc_lookup_bits - length);
    for (int code = 0; code < source->counts[length]; code++) {
      vitrine_dc_entry entry = vitrine_dc_make_entry(length, table->codes.values[number++]);
      for (uint32_t index = end; index < end + indexes; index++) {
        lengths[index] = (uint8_t)length;
        table->singles[index] = entry;
        table->sizes[index] = (uint8_t)(vitrine_dc_bits(entry) - length);
      }
      end += indexes;
    }
  }
  memset(table->singles + end, 0, (vitrine_dc_entry_count - end) * sizeof(vitrine_dc_entry));
  memset(table->chains + end, 0, (vitrine_dc_entry_count - end) * sizeof(vitrine_dc_entry));
  memset(table->sizes + end, 0, vitrine_dc_entry_count - end);
  for (uint32_t index = 0; index < end; index++) {
    vitrine_dc_entry chain = table->singles[index];
    while (chain && !(chain & vitrine_dc_end_of_block)) {
      int used = vitrine_dc_bits(chain);
      if (used >= vitrine_dc_lookup_bits) break;
      // The index has no bits after the first `vitrine_dc_lookup_bits`, so the next code must end before them. Its
      // extra bits are skipped unseen.
      uint32_t rest = index << used & vitrine_dc_index_mask;
      vitrine_dc_entry next = table->singles[rest];
      int bits = used + vitrine_dc_bits(next), count = vitrine_dc_coefficients(chain) + vitrine_dc_coefficients(next);
      if (rest >= end || !next || used + lengths[rest] > vitrine_dc_lookup_bits || bits > 31 || count > 63) break;
      chain = (vitrine_dc_entry)(bits | count << 5 | (next & vitrine_dc_end_of_block));
    }
    table->chains[index] = chain;
  }
  return true;
}
