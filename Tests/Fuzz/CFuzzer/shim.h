#pragma once
#include <stddef.h>
#include <stdint.h>

/// The entry function of libFuzzer, for programs with a main function of their own (llvm.org, "Using libFuzzer as a
/// library").
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*take)(const uint8_t *bytes, size_t count));
