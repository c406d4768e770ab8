#pragma once
#include <xxhash.h>

#if defined(__x86_64__)
// Computes the same hash as XXH3_128bits, with AVX2 or AVX-512 if the processor has them. Missing in builds of libxxhash
// that do not choose instructions at run time; Debian's build does.
extern XXH128_hash_t XXH3_128bits_dispatch(const void *bytes, size_t count) __attribute__((weak));
#endif

// Returns the 128-bit XXH3 hash of some bytes.
static inline XXH128_hash_t vitrine_hash(const void *bytes, size_t count) {
#if defined(__x86_64__)
  if (XXH3_128bits_dispatch) return XXH3_128bits_dispatch(bytes, count);
#endif
  return XXH3_128bits(bytes, count);
}
