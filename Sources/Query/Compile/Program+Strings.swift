// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

extension Program {
  /// Whether a truth can be true at some event whose names are all among `strings`.
  func mayHold(_ index: Int32, among strings: [String]) -> Bool {
    let node = nodes[Int(index)]
    switch node.operation {
    case .both: return mayHold(node.left, among: strings) && mayHold(node.right, among: strings)
    case .either: return mayHold(node.left, among: strings) || mayHold(node.right, among: strings)
    case .isLiteral:
      let literal = literals[Int(node.bits)]
      return !isNameOfEvent(node.left) || literal.isEmpty || strings.contains(literal)
    case .matches:
      let pattern = patterns[Int(node.bits)]
      return !isNameOfEvent(node.left) || pattern.matches("")
        || strings.contains { pattern.matches($0) }
    default: return true
    }
  }

  /// Whether a value is a name that the event has itself: what began before may be missing, and its
  /// name unknown.
  private func isNameOfEvent(_ index: Int32) -> Bool {
    let node = nodes[Int(index)]
    return node.operation == .field && !places[Int(node.bits)].contains(.beginName)
  }
}
