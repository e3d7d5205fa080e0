// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform

/// The names of a program's functions, by their place in its file.
///
///     ProgramSymbols(path: "/proc/\(pid)/exe")?.function(atOffset: 0x11f51)?.text  // "Store.flush()"
///
/// A program that was stripped has the names that it exports, or none.
struct ProgramSymbols {
  let inode: UInt64
  private let path: String
  private static let nameBytesMax = 2048

  init?(path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    inode = UInt64(facts.st_ino)
    self.path = path
  }

  /// The function there, or nil.
  func function(atOffset offset: UInt64) -> Function? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.nameBytesMax) { name in
      guard let start = name.baseAddress,
        cplatform_function_at(path, offset, start, name.count) != 0
      else { return nil }
      return Function(symbol: String(cString: start))
    }
  }

  /// A function by its symbol.
  struct Function {
    var symbol: String

    /// Code of the SDK or of the runtime around the app, or what the compiler put between.
    var isOurs: Bool {
      symbol == "main" || symbol.hasPrefix("$s12LifetraceApp") || symbol.hasPrefix("$s9Lifetrace")
    }

    /// `static App.main()`, which runs from the start of the program to its end.
    var isEntry: Bool { symbol.hasSuffix("4mainyyFZ") || symbol.hasSuffix("4mainyyYaFZ") }

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

    /// Without what it gives back; its parameters may be functions, too.
    private static func withoutResult(_ text: Substring) -> Substring {
      var depth = 0
      for index in text.indices {
        switch text[index] {
        case "(": depth += 1
        case ")": depth -= 1
        case " " where depth == 0 && text[index...].hasPrefix(" -> "): return text[..<index]
        default: break
        }
      }
      return text
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
      text = Self.withoutResult(text)
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
