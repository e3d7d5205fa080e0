// SPDX-License-Identifier: Apache-2.0
//
// Searching bytes: as memmem, which is slow in short texts, and memrchr, which Swift's Glibc module hides.

#pragma once

#include <stddef.h>

/// Where `needle` first occurs in `bytes`, or a null pointer.
const void *cplatform_find(const void *bytes, size_t count, const void *needle, size_t needle_count);

/// Where `byte` last occurs in `bytes`, or a null pointer.
const void *cplatform_find_last(const void *bytes, size_t count, int byte);
