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

  /// Names of which an event at which a truth is true must mention one; nil where it need not.
  ///
  /// `strings` are all that the recording has, where it lists them: a pattern stands for those that it
  /// fits.
  func mentions(_ index: Int32, among strings: [String]?) -> Set<String>? {
    let node = nodes[Int(index)]
    switch node.operation {
    case .both:
      let left = mentions(node.left, among: strings)
      let right = mentions(node.right, among: strings)
      guard let left, let right else { return left ?? right }
      return left.count <= right.count ? left : right
    case .either:
      guard let left = mentions(node.left, among: strings),
        let right = mentions(node.right, among: strings)
      else { return nil }
      return left.union(right)
    case .isLiteral:
      let literal = literals[Int(node.bits)]
      return isNameOfEvent(node.left) && !literal.isEmpty ? [literal] : nil
    case .matches:
      let pattern = patterns[Int(node.bits)]
      guard let strings, isNameOfEvent(node.left), !pattern.matches("") else { return nil }
      return Set(strings.filter { pattern.matches($0) })
    default: return nil
    }
  }

  /// Whether a value is a name that the event has itself: what began before may be missing, and its
  /// name unknown.
  private func isNameOfEvent(_ index: Int32) -> Bool {
    let node = nodes[Int(index)]
    return node.operation == .field && !places[Int(node.bits)].contains(.beginName)
  }
}
