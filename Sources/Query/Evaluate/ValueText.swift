// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
import LifetraceWords

extension Scalar {
  /// The value as people read it: `1,204 bytes`, `suspended`, `nothing`, `unknown`.
  package func text(_ type: ValueType, _ names: borrowing Names) -> String {
    switch standing {
    case .absent: return "nothing"
    case .unknown: return "unknown"
    case .known: break
    }
    switch type {
    case .number: return Quantity.grouped(signed)
    case .thread: return Wording.thread(ThreadID(rawValue: UInt32(truncatingIfNeeded: bits)))
    case .callback: return type.words.first { $0.code == bits }?.word ?? ""
    case .field(.int): return Quantity.grouped(signed)
    case .field(.bool): return bits == 0 ? "false" : "true"
    case .field(let type):
      let text = "\(FieldValue(bits, type, names))"
      return text.isEmpty ? "\"\"" : Printable.line(text)
    }
  }
}

extension ValueType {
  /// What a program is given: the value as one of the fields of events.
  package var field: FieldType {
    switch self {
    case .field(let type): type
    case .thread, .callback, .number: .int
    }
  }
}
