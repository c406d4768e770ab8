#pragma once
#include <xxhash.h>

#if defined(__x86_64__)
// Uses AVX2 or AVX-512 if the processor has them, with the same result. Only in a libxxhash that was built for several
// kinds of processors, such as Debian's.
extern XXH128_hash_t XXH3_128bits_dispatch(const void *bytes, size_t count) __attribute__((weak));
#endif

// Returns the 128-bit XXH3 hash of some bytes.
static inline XXH128_hash_t vitrine_hash(const void *bytes, size_t count) {
#if defined(__x86_64__)
  if (XXH3_128bits_dispatch) return XXH3_128bits_dispatch(bytes, count);
#endif
  return XXH3_128bits(bytes, count);
}
