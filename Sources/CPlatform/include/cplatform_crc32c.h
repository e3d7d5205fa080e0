// SPDX-License-Identifier: Apache-2.0
//
// CRC-32C (Castagnoli), as in iSCSI, ext4 and btrfs: by the CPU's instruction
// where it has one, else by a table. Swift cannot reach the instruction.
//
//     uint32_t crc = cplatform_crc32c(0, bytes, count);
//     crc = cplatform_crc32c(crc, more, more_count);      // continues

#pragma once

#include <stddef.h>
#include <stdint.h>

uint32_t cplatform_crc32c(uint32_t crc, const void *bytes, size_t count);

// The same by the table, for a test that compares the two.
uint32_t cplatform_crc32c_by_table(uint32_t crc, const void *bytes, size_t count);
