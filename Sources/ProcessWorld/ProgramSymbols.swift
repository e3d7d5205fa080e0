// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform

/// The names of a program's functions, by their place in its file.
///
///     ProgramSymbols(path: "/proc/\(pid)/exe")?.function(atOffset: 0x11f51)?.text  // "Store.flush()"
///
/// A program that was stripped has the names that it exports, or none.
final class ProgramSymbols {
  let inode: UInt64
  private let image: UnsafeRawBufferPointer

  init?(path: String) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_size > 0 else { return nil }
    let base = mmap(nil, Int(facts.st_size), PROT_READ, MAP_PRIVATE, file, 0)
    guard let base, base != MAP_FAILED else { return nil }
    inode = UInt64(facts.st_ino)
    image = UnsafeRawBufferPointer(start: base, count: Int(facts.st_size))
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: image.baseAddress), image.count) }

  /// The function there, or nil.
  func function(atOffset offset: UInt64) -> Function? {
    let start = image.baseAddress?.assumingMemoryBound(to: UInt8.self)
    return cplatform_function_at(start, image.count, offset).map {
      Function(symbol: String(cString: $0))
    }
  }

  /// A function by its symbol.
  struct Function {
    var symbol: String

    /// Code of the SDK or of the runtime around the app, or what the compiler put between.
    var isOurs: Bool {
      symbol == "main" || symbol.hasPrefix("$s12LifetraceApp") || symbol.hasPrefix("$s9Lifetrace")
    }

    /// What the compiler put between a call and what it calls.
    var isThunk: Bool {
      ["TW", "TR", "TA", "Tm", "To"].contains { symbol.hasPrefix("$s") && symbol.hasSuffix($0) }
    }

    /// `(flush in _0A4BEF80FA73B1CC)` of something private is `flush`.
    private static func withoutDiscriminators(_ text: Substring) -> String {
      var out = ""
      var rest = text
      while let begin = rest.firstRange(of: "("),
        let link = rest[begin.upperBound...].firstRange(of: " in _"),
        let end = rest[link.upperBound...].firstIndex(of: ")"),
        rest[begin.upperBound..<link.lowerBound].allSatisfy({
          $0.isLetter || $0.isNumber || $0 == "_"
        })
      {
        out += rest[..<begin.lowerBound] + rest[begin.upperBound..<link.lowerBound]
        rest = rest[rest.index(after: end)...]
      }
      return out + rest
    }

    /// `NotesCore.Store.flush()`; a closure goes by the function that it stands in.
    var text: String {
      guard let start = demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return symbol }
      defer { free(start) }
      var text = Substring(String(cString: start))
      var isClosure = false
      while text.hasPrefix("closure #"), let inside = text.range(" in ") {
        text = text[inside...]
        isClosure = true
      }
      if let arrow = text.range(" -> ") { text = text[..<text.index(arrow, offsetBy: -4)] }
      return (isClosure ? "a closure in " : "") + Self.withoutDiscriminators(text)
    }
  }
}

extension Substring {
  /// The place behind the first `part`.
  fileprivate func range(_ part: String) -> Index? { firstRange(of: part)?.upperBound }
}

/// The runtime's own; null for what is no symbol of Swift.
@_silgen_name("swift_demangle")
private func demangle(
  _ name: UnsafePointer<CChar>,
  _ length: Int,
  _ buffer: UnsafeMutablePointer<CChar>?,
  _ bufferLength: UnsafeMutablePointer<Int>?,
  _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
