#pragma once

/// Sets limits for the C library's heap that suit a program that shows images. Call this at the start of a program,
/// before its first thread.
///
/// glibc creates an arena for each thread, up to eight per core. Bodies are received on one thread, decoded on another
/// and freed on a third, so each arena ends up with unused memory: 1.4 MB for 200 JPEGs of 250 KB. Two arenas are as
/// fast.
///
/// When a large block is freed, glibc raises the size from which blocks have pages of their own, up to 32 MiB, and
/// keeps twice that size in each arena. A few decodes of large images would leave up to 64 MiB in each arena. Both
/// limits are fixed. Blocks of 256 KiB and more have pages of their own: smaller blocks would take parts of a large one
/// that was freed, so that the next large one finds no room.
///
/// The environment variables MALLOC_ARENA_MAX, MALLOC_MMAP_THRESHOLD_ and MALLOC_TRIM_THRESHOLD_ take precedence.
void limit_heap(void);
