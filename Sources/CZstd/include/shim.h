// SPDX-License-Identifier: Apache-2.0
// zstd compresses chunk payloads; only the plain one-shot and context calls are used.
#include <zstd.h>
#include <zstd_errors.h>
