// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import TestThreads
import Testing

/// An app that links the SDK links nothing that it would mind.
@Suite(.waits) struct LinkTests {
  @Test(arguments: ["Foundation", "ZSTD_", "rl_completion", "yaml_parser", "ArgumentParser"])
  func sampleAppHasNone(of name: String) throws {
    let bytes = try TestFile.read("\(Emitter.directory)/notes")
    #expect(bytes.count > 10_000)
    #expect(contains(bytes, Array(name.utf8)) == false)
    #expect(contains(bytes, Array("lt_emit_slow".utf8)), "the search finds what is there")
  }

  private func contains(_ bytes: [UInt8], _ wanted: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      guard var at = bytes.baseAddress, let first = wanted.first else { return false }
      let end = at + bytes.count - wanted.count
      while at <= end, let found = memchr(at, Int32(first), end - at + 1) {
        if memcmp(found, wanted, wanted.count) == 0 { return true }
        at = UnsafeRawPointer(found) + 1
      }
      return false
    }
  }
}
