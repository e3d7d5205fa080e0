// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform

/// Where a function of the program has called a library that keeps no frame pointers.
///
/// The return address stands on the stack below the function's own frame, among what earlier calls have
/// left there. It is taken for sure where it lies right below a frame as large as the function makes its
/// own, where it is the only function of the program there that follows a call, or the very one that its
/// caller's call leads to; else nothing is said.
struct UserCalls {
  let pid: Int32
  let maps: Maps

  /// The longest call of a machine, in bytes.
  private static let callBytesMax = 7
  /// Less of a stack is looked at than is read of it.
  private static let wordsMax = 4096

  /// The address behind its call, of the function that was called from before `caller`.
  func innermost(_ words: ArraySlice<UInt64>, calledFrom caller: UInt64) -> UInt64? {
    let inner = words.suffix(Self.wordsMax)
    let found = inner.indices.compactMap { place -> (UInt64, String)? in
      let word = inner[place]
      guard maps.isProgram(word), call(before: word) != nil,
        let function = maps.function(at: word - 1), !function.isThunk
      else { return nil }
      return (word, function.symbol)
    }
    guard let last = found.last else { return nil }
    let own = inner.indices.last { place in
      maps.isProgram(inner[place]) && call(before: inner[place]) != nil
        && frameBytes(before: inner[place]) == UInt64(inner.endIndex - place - 1) * 8
    }
    if let own { return inner[own] }
    if let target = call(before: caller)?.target, let called = maps.function(at: target),
      !called.isThunk
    {
      return found.last { $0.1 == called.symbol }?.0
    }
    return found.allSatisfy { $0.1 == last.1 } ? last.0 : nil
  }

  /// A call, and where it leads, if it says so itself.
  private struct Call {
    var target: UInt64?
  }

  /// The call that ends at `address`; nil where the instruction before is none.
  private func call(before address: UInt64) -> Call? {
    var bytes = [UInt8](repeating: 0, count: Self.callBytesMax)
    let start = address - UInt64(Self.callBytesMax)
    guard cplatform_read_memory(pid, start, &bytes, bytes.count) == bytes.count else { return nil }
    #if arch(x86_64)
    return Self.x86(bytes, before: address)
    #elseif arch(arm64)
    return Self.arm(bytes, before: address)
    #else
    return nil
    #endif
  }

  /// How large the function that `address` is in makes its frame, below the saved frame pointer, as its
  /// first instructions say; nil where they do not.
  private func frameBytes(before address: UInt64) -> UInt64? {
    #if arch(x86_64)
    var code = [UInt8](repeating: 0, count: Self.functionBytesMax)
    let start = address - UInt64(code.count)
    guard cplatform_read_memory(pid, start, &code, code.count) == code.count else { return nil }
    // push rbp; mov rbp, rsp
    let begin = code.indices.dropLast(16).last {
      code[$0] == 0x55 && code[$0 + 1] == 0x48 && code[$0 + 2] == 0x89 && code[$0 + 3] == 0xE5
    }
    guard let begin, let here = maps.function(at: address - 1)?.symbol,
      maps.function(at: start + UInt64(begin))?.symbol == here
    else { return nil }
    return Self.frame(code[(begin + 4)...])
    #else
    return nil
    #endif
  }

  /// A function may be longer: then it is not known.
  private static let functionBytesMax = 4096

  #if arch(x86_64)
  /// Registers that are pushed, and what is taken off the stack pointer behind them.
  private static func frame(_ code: ArraySlice<UInt8>) -> UInt64? {
    var at = code.startIndex
    var bytes: UInt64 = 0
    while at + 8 < code.endIndex {
      switch (code[at], code[at + 1], code[at + 2]) {
      case (0x53, _, _): at += 1
      case (0x41, 0x54...0x57, _): at += 2
      case (0x48, 0x83, 0xEC): return bytes + UInt64(code[at + 3])
      case (0x48, 0x81, 0xEC):
        let size = (0..<4).reduce(UInt64(0)) { $0 | UInt64(code[at + 3 + $1]) << UInt64(8 * $1) }
        return bytes + size
      default: return bytes
      }
      bytes += 8
    }
    return nil
  }

  private static func x86(_ bytes: [UInt8], before address: UInt64) -> Call? {
    let count = bytes.count
    if bytes[count - 5] == 0xE8 {
      let distance = bytes[(count - 4)...].enumerated().reduce(UInt32(0)) {
        $0 | UInt32($1.element) << UInt32(8 * $1.offset)
      }
      return Call(target: address &+ UInt64(bitPattern: Int64(Int32(bitPattern: distance))))
    }
    // Through a register or memory: FF /2, with up to five bytes of an address behind.
    let isIndirect = [2, 3, 4, 6, 7].contains { length in
      bytes[count - length] == 0xFF && bytes[count - length + 1] & 0x38 == 0x10
    }
    return isIndirect ? Call() : nil
  }
  #endif

  #if arch(arm64)
  private static func arm(_ bytes: [UInt8], before address: UInt64) -> Call? {
    let word = bytes.suffix(4).enumerated().reduce(UInt32(0)) {
      $0 | UInt32($1.element) << UInt32(8 * $1.offset)
    }
    if word & 0xFC00_0000 == 0x9400_0000 {
      let distance = Int64(Int32(bitPattern: word << 6) >> 4)
      return Call(target: address &- 4 &+ UInt64(bitPattern: distance))
    }
    return word & 0xFFFF_FC1F == 0xD63F_0000 ? Call() : nil
  }
  #endif
}
