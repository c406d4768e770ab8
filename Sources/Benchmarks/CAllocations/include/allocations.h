#pragma once
#include <stddef.h>

/// How often the calling thread has asked the heap for memory since it began: malloc, calloc, realloc and the aligned
/// ones, whoever called them.
///
/// This program's own functions of those names stand before the C library's, for every library in the process; they
/// count and pass the call on.
unsigned long allocations_of_this_thread(void);

/// Bytes that all threads together have got from the heap and not given back.
unsigned long bytes_in_use(void);

/// Reports the used bytes of the C library's heap, including blocks with pages of their own, and the free bytes.
void vitrine_heap_usage(size_t *used, size_t *unused);
