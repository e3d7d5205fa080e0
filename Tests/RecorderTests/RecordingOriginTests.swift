// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
import LifetraceTrace
import Testing

@testable import LifetraceRecorder

@Suite struct RecordingOriginTests {
  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// FIPS 180-2, appendix B, and RFC 4231, cases 2 and 6.
  @Test func hashesAreThePublishedOnes() {
    #expect(
      hexadecimal(SHA256.hash(Array("abc".utf8)))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    let two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    #expect(
      hexadecimal(SHA256.hash(Array(two.utf8)))
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    )
    #expect(
      hexadecimal(
        SHA256.code(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
      ) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )
    #expect(
      hexadecimal(
        SHA256.code(
          of: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
          key: Array(repeating: 0xaa, count: 131)
        )
      ) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    )
  }

  /// What `systemd-id128 machine-id --app-specific=6c5e9a1f4d0b4b3e9a7051c2e83d17f4` prints on a machine with
  /// that id.
  @Test func aMachineIsNumberedAsSystemdDoes() {
    #expect(
      RecordingOrigin.machine(of: "b7c5f0e4d3a24f6c9e1d8a0b2c4d6e8f")?.text
        == "d4527208897c45749f11f2335ad0bb10"
    )
    for none in ["", "uninitialized", String(repeating: "0", count: 32)] {
      #expect(RecordingOrigin.machine(of: none) == nil)
    }
  }

  @Test func aRunIsTheTraceOfItsCaller() {
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    #expect(RecordingOrigin.traceID(of: "00-\(trace)-00f067aa0ba902b7-01") == trace)
    // A later version may say more behind it.
    #expect(RecordingOrigin.traceID(of: "01-\(trace)-00f067aa0ba902b7-01-what") == trace)
    let zeros = String(repeating: "0", count: 32)
    for wrong in ["", trace, "ff-\(trace)-00f067aa0ba902b7-01", "00-\(zeros)-00f067aa0ba902b7-01"] {
      #expect(RecordingOrigin.traceID(of: wrong) == nil, "\(wrong)")
    }
  }
}
