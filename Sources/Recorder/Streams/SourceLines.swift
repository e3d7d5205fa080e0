// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform
import LifetraceTrace
import Synchronization

/// The source lines of addresses that an observed process has reported.
///
///     SourceLines.shared.place(of: "/usr/bin/git", at: 0x3f2a10)   // git/strbuf.c:117
///
/// The process says only where in which file the code stands, since looking up the line takes
/// milliseconds. Here each address is looked up once, with the debug information that the file itself
/// holds; where it has none the place is the file's name, with the function in parentheses. So it is
/// where the source is not here, of an interpreter that somebody else has built: nobody mends
/// `posixmodule.c` who debugs a script, and its line stands behind the function.
///
///     python3.11 (os_fsync_impl, line 4815 of posixmodule.c)
final class SourceLines: Sendable {
  /// A place as a site has it.
  struct Place: Sendable {
    var file: String
    /// 0 where it is not known.
    var line: UInt32
  }

  static let shared = SourceLines()
  /// A file that is a path behind this sign is a program or library, and the line an address in it.
  static let sign = "@/"
  /// As many are remembered; then they are looked up again.
  private static let placesMax = 65_536

  private struct Address: Hashable {
    var file: String
    var offset: UInt32
  }
  private let known = Mutex<[Address: Place]>([:])
  /// Paths below it are told from there on, as the compiler was given them.
  private let folder: String

  private init() {
    let here = getcwd(nil, 0)
    defer { free(here) }
    folder = here.map { String(cString: $0) + "/" } ?? "/"
  }

  func place(of file: String, at offset: UInt32) -> Place {
    let address = Address(file: file, offset: offset)
    if let place = known.withLock({ $0[address] }) { return place }
    let place = lookUp(address)
    known.withLock {
      if $0.count >= Self.placesMax { $0.removeAll() }
      $0[address] = place
    }
    return place
  }

  private static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  private func lookUp(_ address: Address) -> Place {
    let rooms = (file: Int(PATH_MAX), function: 512)
    var line: UInt32 = 0
    var (file, function) = ("", "")
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: rooms.file + rooms.function) { buffer in
      guard let start = buffer.baseAddress else { return }
      let behind = start + rooms.file
      _ = cplatform_source_line(
        address.file,
        UInt64(address.offset),
        start,
        rooms.file,
        &line,
        behind,
        rooms.function
      )
      (file, function) = (String(cString: start), String(cString: behind))
    }
    let isBelow = file.hasPrefix(folder)
    if line != 0, isBelow || !file.hasPrefix("/") || access(file, F_OK) == 0 {
      return Place(file: isBelow ? String(file.dropFirst(folder.count)) : file, line: line)
    }
    var parts = function.isEmpty ? [] : [function]
    if line != 0 { parts.append("line \(line) of \(Self.name(of: file))") }
    let name = Self.name(of: address.file)
    return Place(file: parts.isEmpty ? name : "\(name) (\(parts.joined(separator: ", ")))", line: 0)
  }
}
