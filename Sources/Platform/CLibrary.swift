// SPDX-License-Identifier: Apache-2.0

// The C library, by whatever name it has here: the one place that imports it for the whole tool.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Darwin)
@_exported public import Darwin
#endif
