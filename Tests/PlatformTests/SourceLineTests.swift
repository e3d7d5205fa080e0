// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform
import Support
import Testing

@Suite("The source line of an address")
struct SourceLineTests {
  private struct Found: Hashable {
    var file = ""
    var line: UInt32 = 0
    var function = ""
  }

  private func find(_ address: UInt64, in path: String) -> Found {
    var found = Found()
    var file = [CChar](repeating: 0, count: 4096)
    var function = [CChar](repeating: 0, count: 256)
    _ = cplatform_source_line(
      path,
      address,
      &file,
      file.count,
      &found.line,
      &function,
      function.count
    )
    found.file = String(
      decoding: file.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
      as: UTF8.self
    )
    let name = function.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    found.function = String(decoding: name, as: UTF8.self)
    return found
  }

  private static let program = "\(TestProgram.products)/Unaware"
  private static let addresses = stride(from: UInt64(0x800), to: 0x4000, by: 16)

  @Test("each function of a program is found in its file, in order")
  func program() throws {
    let all = Self.addresses.map { find($0, in: Self.program) }
    let own = all.filter { $0.file.hasSuffix("Tests/Fixtures/Unaware/main.c") }
    for name in ["write_file", "wait_for", "hear_word", "main"] {
      #expect(own.contains { $0.function == name && $0.line > 0 }, "\(name)")
    }
    let lines = try TestFile.read("Tests/Fixtures/Unaware/main.c").count { $0 == 10 }
    #expect(own.allSatisfy { $0.line <= lines })
  }

  @Test("what is no program has no lines")
  func others() throws {
    let folder = try TestFolder()
    let text = try folder.write(String(repeating: "text ", count: 100), to: "text")
    for path in [text, folder.path, folder.file("none"), "/dev/null"] {
      #expect(find(0x1000, in: path) == Found(), "\(path)")
    }
  }

  @Test("a damaged program is read to no harm")
  func damaged() throws {
    let folder = try TestFolder()
    let whole = try TestFile.read(Self.program)
    var random = SeededRandom(seed: 7)
    for round in 0..<300 {
      var bytes = whole
      if round % 3 == 0 { bytes.removeLast(Int.random(in: 1..<whole.count, using: &random)) }
      for _ in 0..<(round % 40) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
          in: 0...255,
          using: &random
        )
      }
      let path = try folder.write(bytes, to: "damaged")
      for address in stride(from: UInt64(0x1000), to: 0x3000, by: 0x200) {
        _ = find(address, in: path)
      }
    }
  }
}
