#include "allocations.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>

// The local-exec model, which only a program can use, puts the counter at a fixed offset, so that reading the counter
// allocates nothing.
static _Thread_local unsigned long count __attribute__((tls_model("local-exec")));

unsigned long allocations_of_this_thread(void) { return count; }

unsigned long bytes_in_use(void) {
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_A_HEAP_OF_ITS_OWN
#endif
#endif

#ifndef HAS_A_HEAP_OF_ITS_OWN

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  count++;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count++;
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  count++;
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *const new = memalign(alignment, size);
  if (new == NULL) return ENOMEM;
  *memory = new;
  return 0;
}

#endif

void vitrine_heap_usage(size_t *used, size_t *unused) {
  struct mallinfo2 info = mallinfo2();
  *used = info.uordblks + info.hblkhd;
  *unused = info.fordblks;
}
