// SPDX-License-Identifier: Apache-2.0

/// One line of the table: what was measured, beside what, and whether the target is reached.
struct BenchmarkRow: CustomStringConvertible {
  var what: String
  /// The figure with its unit: `11.2 ns`.
  var figure: String
  /// What it is compared with, in the same run: `rdtsc 10.8 ns`.
  var peer: String
  /// The target in words: `at most 1.3 x rdtsc`.
  var target: String
  /// Nil where a row only informs.
  var reached: Bool?

  init(
    _ what: String,
    _ figure: String,
    peer: String = "",
    target: String = "",
    reached: Bool? = nil
  ) {
    self.what = what
    self.figure = figure
    self.peer = peer
    self.target = target
    self.reached = reached
  }

  var description: String {
    let mark = reached.map { $0 ? "yes" : "NO" } ?? ""
    return [pad(what, 46), pad(figure, 20), pad(peer, 26), pad(target, 34), mark]
      .joined(separator: " ")
  }
}

/// The first lines of the table.
func printHeading() {
  print(
    [pad("what", 46), pad("figure", 20), pad("beside", 26), pad("target", 34), "reached"]
      .joined(separator: " ")
  )
}

private func pad(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

/// `value` with `digits` decimals.
func fixed(_ value: Double, _ digits: Int = 1) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let scaled = Int64((value * scale).rounded())
  guard digits > 0 else { return "\(scaled)" }
  let whole = scaled.magnitude / UInt64(scale)
  let part = String(scaled.magnitude % UInt64(scale))
  let zeros = String(repeating: "0", count: digits - part.count)
  return "\(scaled < 0 ? "-" : "")\(whole).\(zeros)\(part)"
}
