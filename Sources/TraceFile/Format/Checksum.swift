// SPDX-License-Identifier: Apache-2.0
internal import CLifetracePlatform

/// The CRC-32C of `bytes`.
func checksum(_ bytes: some Collection<UInt8>) -> UInt32 {
  bytes.withContiguousStorageIfAvailable { cplatform_crc32c(0, $0.baseAddress, $0.count) }
    ?? Array(bytes).withUnsafeBufferPointer { cplatform_crc32c(0, $0.baseAddress, $0.count) }
}
