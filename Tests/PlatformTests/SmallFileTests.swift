// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import LifetracePlatform
import Support
import Testing

@Suite("A small file is read whole, or not at all")
struct SmallFileTests {
  private let directory: TestFolder

  init() throws { directory = try TestFolder() }

  private func code(_ path: String, bytesMax: Int = SmallFile.bytesMax) -> Int32 {
    do throws(SmallFile.Failure) {
      _ = try SmallFile.bytes(of: path, bytesMax: bytesMax)
      return 0
    } catch {
      return error.code
    }
  }

  @Test("a failed read is no end of the file")
  func failure() throws {
    #expect(code(directory.path) == EISDIR)
    // Opens, and fails at its first byte.
    #expect(code("/proc/self/mem") == EIO)
    #expect(code(directory.path + "/none") == ENOENT)
    let failure = #expect(throws: SmallFile.Failure.self) {
      try SmallFile.text(of: directory.path)
    }
    #expect(failure?.description == "cannot read \(directory.path): Is a directory")
  }

  @Test("up to its limit, and not a byte more")
  func limit() throws {
    let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let path = try directory.write(bytes, to: "file")
    #expect(try SmallFile.bytes(of: path, bytesMax: bytes.count) == bytes)
    #expect(code(path, bytesMax: bytes.count - 1) == EFBIG)
    #expect(SmallFile.bytesIfReadable(path, bytesMax: bytes.count - 1) == nil)
    let failure = #expect(throws: SmallFile.Failure.self) {
      try SmallFile.text(of: path, bytesMax: 9)
    }
    #expect(failure?.description == "cannot read \(path): it is larger than 9 bytes")
  }

  @Test("a file without a size, and line breaks at the end")
  func text() throws {
    let name = try #require(SmallFile.lineIfReadable("/proc/self/comm"))
    #expect(!name.isEmpty && !name.hasSuffix("\n"))
    let lines = try directory.write("one\ntwo\n\n", to: "lines")
    #expect(SmallFile.lineIfReadable(lines) == "one\ntwo")
  }

  @Test("an error has words on every thread")
  func words() async {
    await withTaskGroup(of: Bool.self) { group in
      for number in [ENOENT, EACCES, ENOSPC, EIO] {
        group.addTask {
          let words = errnoText(number)
          return (0..<1_000).allSatisfy { _ in errnoText(number) == words && !words.isEmpty }
        }
      }
      for await isSame in group { #expect(isSame) }
    }
    #expect(errnoText(ENOENT) == "No such file or directory")
    #expect(errnoText(98_765).contains("98765"))
  }
}

@Suite("What is written to a descriptor arrives whole")
struct DescriptorTests {
  @Test("a pipe that does not block is waited for")
  func pipe() {
    var ends: [Int32] = [0, 0]
    #expect(Glibc.pipe(&ends) == 0)
    let (reader, writer) = (ends[0], ends[1])
    _ = fcntl(writer, F_SETFL, O_NONBLOCK)
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
    DispatchQueue.global().async {
      _ = Descriptor.write(bytes, to: writer)
      close(writer)
    }
    var arrived: [UInt8] = []
    var portion = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(reader, &portion, portion.count)
      guard count > 0 else { break }
      arrived += portion[..<count]
    }
    close(reader)
    #expect(arrived == bytes)
  }

  @Test("what refuses says why")
  func refusal() {
    let full = open("/dev/full", O_WRONLY)
    defer { close(full) }
    #expect(Descriptor.write("text", to: full) == ENOSPC)
  }
}
