#pragma once
#include <stddef.h>

/// Returns the number of heap allocations by the calling thread since it started: calls of malloc, calloc, realloc and
/// the aligned variants from any code. Always 0 with the address or thread sanitizer.
///
/// This program defines functions with those names, which override the C library's for all libraries in the process.
/// They count the call and pass it on.
unsigned long allocations_of_this_thread(void);

/// Returns the number of bytes that all threads have allocated from the heap and not freed.
unsigned long bytes_in_use(void);

/// Reports the used bytes of the C library's heap, including blocks with pages of their own, and the free bytes.
void vitrine_heap_usage(size_t *used, size_t *unused);
