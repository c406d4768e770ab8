#pragma once
#include <stddef.h>
#include <stdint.h>

/// libFuzzer's main function, under the name by which it may be called from another one (llvm.org, "Using
/// libFuzzer as a library").
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*take)(const uint8_t *bytes, size_t count));
