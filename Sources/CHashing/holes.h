#pragma once
#include <sys/types.h>

// Declared by <fcntl.h> only with _GNU_SOURCE, which Swift's importer does not define.
extern int fallocate64(int descriptor, int mode, __off64_t offset, __off64_t length);

// Gives the blocks of a range back to the file system, so that the range reads as zeros. The size of the file stays
// (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, fallocate(2)). Returns -1 and sets errno if that is not possible.
static inline int vitrine_punch_hole(int descriptor, long long offset, long long length) {
  return fallocate64(descriptor, 0x02 | 0x01, offset, length);
}
