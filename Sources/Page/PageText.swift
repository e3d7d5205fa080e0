// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON

/// The parts of a page put together; they stand as files in `Assets`, and in the program as bytes.
enum PageText {
  static func write(
    title: String,
    data: String,
    columns: String,
    to output: (String) throws -> Void
  ) throws {
    // Only scripts with this word run. It is not known before the data is.
    let parts = [
      "TITLE": escaped(title), "NONCE": nonce(data), "DATA": scriptSafe(data), "COLUMNS": columns,
    ]
    // No part is looked into for names of others.
    for (index, piece) in frame.enumerated() {
      try output(index % 2 == 0 ? piece : parts[piece] ?? own(piece))
    }
  }

  /// What a page takes before anything stands in it.
  static func frameBytes(title: String) -> Int {
    let parts = ["TITLE": escaped(title), "NONCE": String(repeating: "0", count: nonceMax)]
    return frame.enumerated().reduce(0) { sum, piece in
      sum
        + (piece.offset % 2 == 0 ? piece.element : parts[piece.element] ?? own(piece.element)).utf8
        .count
    }
  }

  /// The frame, and between its pieces the names of the parts.
  private static var frame: [String] {
    text(PackageResources.page_html).components(separatedBy: "@@")
  }

  /// The parts that are the same in each page.
  private static func own(_ part: String) -> String {
    switch part {
    case "STYLE": text(PackageResources.page_css)
    case "SCRIPT":
      [
        PackageResources.data_js, PackageResources.axis_js, PackageResources.lanes_js,
        PackageResources.picture_js, PackageResources.panels_js, PackageResources.page_js,
      ].map(text).joined()
    default: ""
    }
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// JSON that ends no script, and begins none: these three only stand within its strings.
  static func scriptSafe(_ json: String) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(json.utf8.count)
    for byte in json.utf8 {
      switch byte {
      case UInt8(ascii: "<"): out += "\\u003c".utf8
      case UInt8(ascii: ">"): out += "\\u003e".utf8
      case UInt8(ascii: "&"): out += "\\u0026".utf8
      default: out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// What a value takes in the page.
  static func bytes(of json: JSON) -> Int {
    json.text.utf8.reduce(0) { $0 + ($1 == 0x3c || $1 == 0x3e || $1 == 0x26 ? 6 : 1) }
  }

  /// Text between tags.
  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { out, character in
      switch character {
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "&": out += "&amp;"
      case "\"": out += "&quot;"
      default: out.append(character)
      }
    }
  }

  /// The same for the same data: two hashes of all of it, FNV-1a with two seeds.
  private static func nonce(_ text: String) -> String {
    var (one, two): (UInt64, UInt64) = (0xcbf2_9ce4_8422_2325, 0x9e37_79b9_7f4a_7c15)
    for byte in text.utf8 {
      one = (one ^ UInt64(byte)) &* 0x100_0000_01b3
      two = (two ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return String(one, radix: 36) + String(two, radix: 36)
  }

  /// Two numbers of 64 bits with 36 digits.
  private static let nonceMax = 26
}
