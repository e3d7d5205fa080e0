// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetracePlatform

/// What /proc says of processes, at the moment of asking.
package enum ProcFS {
  /// The parts of `/proc/PID/stat` that are used.
  package struct Status: Sendable {
    package var name: String
    /// The letter of its state: T is stopped, Z is ended and not waited for.
    package var state: UInt8
    package var parent: Int32
    /// In clock ticks since boot: distinguishes two processes with one pid.
    package var start: UInt64

    package var isStopped: Bool { state == UInt8(ascii: "T") }
  }

  package static func status(of pid: Int32) -> Status? {
    guard let bytes = SmallFile.bytesIfReadable("/proc/\(pid)/stat", bytesMax: 4096),
      let open = bytes.firstIndex(of: UInt8(ascii: "(")),
      let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close
    else { return nil }
    // The name may hold blanks and brackets: the fields count from behind it.
    let fields = bytes[(close + 1)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 19, let state = fields[0].first else { return nil }
    return Status(
      name: String(decoding: bytes[(open + 1)..<close], as: UTF8.self),
      state: state,
      parent: number(fields[1]).map { Int32(truncatingIfNeeded: $0) } ?? 0,
      start: number(fields[19]) ?? 0
    )
  }

  /// Whether the process is gone, or on its way: it has ended, or was killed and has not left yet.
  package static func isDying(_ pid: Int32) -> Bool {
    guard let bytes = SmallFile.bytesIfReadable("/proc/\(pid)/stat", bytesMax: 4096),
      let close = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return true }
    let fields = bytes[(close + 1)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 6, let state = fields[0].first, let flags = number(fields[6]) else {
      return true
    }
    // PF_EXITING; a process whose first thread has ended before the others is a zombie already.
    if flags & 4 != 0 || state == UInt8(ascii: "Z") || state == UInt8(ascii: "X") { return true }
    let status = SmallFile.bytesIfReadable("/proc/\(pid)/status") ?? []
    return status.split(separator: 10).contains { line in
      guard line.starts(with: "SigPnd:".utf8) || line.starts(with: "ShdPnd:".utf8),
        let mask = line.split(separator: 9).last
      else { return false }
      let pending = UInt64(String(decoding: mask, as: UTF8.self), radix: 16) ?? 0
      return pending & 1 << UInt64(SIGKILL - 1) != 0
    }
  }

  /// The children of all threads of a process.
  package static func children(of pid: Int32) -> [Int32] {
    namesInDirectory("/proc/\(pid)/task").flatMap { thread -> [Int32] in
      let bytes = SmallFile.bytesIfReadable("/proc/\(pid)/task/\(thread)/children") ?? []
      return bytes.split(separator: UInt8(ascii: " ")).compactMap {
        number($0).map { Int32(truncatingIfNeeded: $0) }
      }
    }
  }

  /// Whether every thread of the process is stopped.
  package static func isWhollyStopped(_ pid: Int32) -> Bool {
    let threads = namesInDirectory("/proc/\(pid)/task")
    guard !threads.isEmpty else { return false }
    return threads.allSatisfy { thread in
      guard
        let bytes = SmallFile.bytesIfReadable("/proc/\(pid)/task/\(thread)/stat", bytesMax: 4096),
        let close = bytes.lastIndex(of: UInt8(ascii: ")")), close + 2 < bytes.count
      else { return true }
      let state = bytes[close + 2]
      return state == UInt8(ascii: "T") || state == UInt8(ascii: "Z") || state == UInt8(ascii: "X")
    }
  }

  /// Whether the process has a file of this name in its memory; false where a look is forbidden.
  package static func maps(_ pid: Int32, fileNamed name: String) -> Bool {
    guard let maps = SmallFile.bytesIfReadable("/proc/\(pid)/maps", bytesMax: 16 << 20) else {
      return false
    }
    let wanted = Array(name.utf8)
    return cplatform_find(maps, maps.count, wanted, wanted.count) != nil
  }

  /// The process of another pid namespace whose own number is `number` and that maps a file of this name.
  package static func process(numbered number: UInt32, mapping name: String) -> Int32? {
    let own = Array("\(number)".utf8)
    return namesInDirectory("/proc").lazy.compactMap { Int32($0) }.first { pid in
      guard let lines = SmallFile.bytesIfReadable("/proc/\(pid)/status") else { return false }
      let numbers = lines.split(separator: 10).first { $0.starts(with: "NSpid:".utf8) }?
        .split { $0 == 9 || $0 == 32 }.dropFirst()
      guard let numbers, numbers.count > 1, numbers.last.map({ $0.elementsEqual(own) }) == true
      else { return false }
      return maps(pid, fileNamed: name)
    }
  }

  /// The name of the program that runs, else the process's own name.
  package static func program(of pid: Int32) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/\(pid)/exe", &buffer, buffer.count)
    guard count > 0 else { return status(of: pid)?.name }
    let path = String(decoding: buffer[0..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let name = path.split(separator: "/").last.map(String.init)
    return name?.split(separator: " ").first.map(String.init)
  }

  /// Its program and arguments, with blanks between them; nil where it is gone, or they are longer
  /// than a page.
  package static func command(of pid: Int32) -> String? {
    let bytes = SmallFile.bytesIfReadable("/proc/\(pid)/cmdline", bytesMax: 4096) ?? []
    let words = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
    let text = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    return text.isEmpty ? nil : text
  }

  /// The boot of the kernel, and behind it the namespace of the clocks where that is not the first one:
  /// one kernel's monotonic times are others there.
  package static let bootID: String = {
    let boot = SmallFile.lineIfReadable("/proc/sys/kernel/random/boot_id") ?? ""
    var buffer = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/self/ns/time", &buffer, buffer.count)
    guard !boot.isEmpty, count > 0 else { return boot }
    let space = String(decoding: buffer[0..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return space == firstTimeNamespace ? boot : "\(boot)/\(space)"
  }()

  /// The number that Linux gives it, on all machines.
  private static let firstTimeNamespace = "time:[4026531834]"

  package static let hostName: String = {
    var buffer = [CChar](repeating: 0, count: 256)
    gethostname(&buffer, buffer.count - 1)
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  private static func number(_ digits: some Sequence<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for digit in digits {
      guard digit >= 48, digit <= 57 else { return nil }
      value = value &* 10 &+ UInt64(digit - 48)
    }
    return value
  }
}
