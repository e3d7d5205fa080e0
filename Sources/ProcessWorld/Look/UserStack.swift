// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform

/// The functions of an app's own that one of its threads is in, the innermost first.
///
/// No debugger: the process is stopped, `/proc` gives stack and program counter, and the chain of
/// frame pointers, which Swift keeps, is read from its memory. Functions of the C library and of
/// libdispatch keep none: the first pair of a frame pointer and a return address above the stack
/// pointer that leads on is where the chain is joined. That pair is the frame of the function that
/// called them, and names its caller; its own name stands where it called, below (``UserCalls``).
enum UserStack {
  /// So much of the stack is looked at, the innermost part.
  private static let stackBytesMax = 256 << 10
  private static let framesMax = 64
  /// More functions are not named.
  private static let namedMax = 3
  private static let stopPatience = 20

  /// The process stands still, and is about to be killed.
  static func callers(in thread: Int32, of pid: Int32, _ maps: Maps) -> [String] {
    guard let (stack, counter) = registers(of: thread, in: pid) else { return [] }
    var bytes = [UInt8](repeating: 0, count: stackBytesMax)
    let end = maps.end(ofRegionWith: stack)
    let wanted = min(bytes.count, Int(clamping: end - min(stack, end)))
    let count = cplatform_read_memory(pid, stack, &bytes, wanted)
    let words = bytes[..<(count & ~7)].withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) }
    let (joint, frames) = chain(words, at: stack, maps)
    let inner = frames.first.flatMap { caller in
      UserCalls(pid: pid, maps: maps).innermost(words[..<joint], calledFrom: caller)
    }
    return named([counter] + (inner.map { [$0] } ?? []) + frames, maps)
  }

  /// Stack pointer and program counter, once the thread is stopped outside of any call.
  private static func registers(
    of thread: Int32,
    in pid: Int32
  ) -> (stack: UInt64, counter: UInt64)? {
    for _ in 0..<stopPatience {
      let line = SmallFile.lineIfReadable("/proc/\(pid)/task/\(thread)/syscall")
      let words = line?.split(separator: " ") ?? []
      if words.count >= 3, let stack = UInt64(words[words.count - 2].dropFirst(2), radix: 16),
        let counter = UInt64(words[words.count - 1].dropFirst(2), radix: 16)
      {
        return (stack, counter)
      }
      usleep(1_000)
    }
    return nil
  }

  /// The return addresses of the frames above the stack pointer, and the place of the first of them.
  private static func chain(
    _ words: [UInt64],
    at stack: UInt64,
    _ maps: Maps
  ) -> (joint: Int, frames: [UInt64]) {
    func place(_ address: UInt64) -> Int? {
      guard address >= stack, address % 8 == 0 else { return nil }
      let index = Int(clamping: (address - stack) / 8)
      return index + 1 < words.count ? index : nil
    }
    func frames(from start: Int) -> [UInt64] {
      var out: [UInt64] = []
      var index = start
      while out.count < framesMax {
        guard maps.isCode(words[index + 1]) else { break }
        out.append(words[index + 1])
        guard let next = place(words[index]), next > index else { break }
        index = next
      }
      return out
    }
    // A pair that was left over leads nowhere; two that follow each other are no chance.
    for index in 0..<max(0, words.count - 1)
    where maps.isCode(words[index + 1]) && (place(words[index]) ?? 0) > index {
      let found = frames(from: index)
      if found.count > 2 { return (index, found) }
    }
    return (0, [])
  }

  /// The app's own functions: not the runtime's around them, nor those of libraries inside.
  private static func named(_ addresses: [UInt64], _ maps: Maps) -> [String] {
    var out: [String] = []
    var isInRuntime = false
    for (index, address) in addresses.enumerated() {
      // A return address lies behind its call, which may be the function's last instruction.
      guard let function = maps.function(at: index == 0 ? address : address - 1),
        !function.isThunk
      else { continue }
      if function.isOurs, out.isEmpty {
        isInRuntime = true
        continue
      }
      if function.isOurs || out.count == namedMax { break }
      // Nothing but the entry of the program stands beyond the runtime that it called.
      if function.isEntry, isInRuntime, out.isEmpty { break }
      let text = function.text
      if out.last != text { out.append(text) }
    }
    return out
  }
}
