#include "heap_limits.h"

#include <malloc.h>
#include <stdlib.h>

static void set_limit(const char *variable, int parameter, int value) {
  if (!getenv(variable)) mallopt(parameter, value);
}

void limit_heap(void) {
  set_limit("MALLOC_ARENA_MAX", M_ARENA_MAX, 2);
  // The size in bytes from which a block has pages of its own, which return to the system when it is freed.
  set_limit("MALLOC_MMAP_THRESHOLD_", M_MMAP_THRESHOLD, 256 << 10);
  // The number of free bytes that stay at the end of an arena.
  set_limit("MALLOC_TRIM_THRESHOLD_", M_TRIM_THRESHOLD, 1 << 20);
}
