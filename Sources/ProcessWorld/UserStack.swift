// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform

/// The functions of an app's own that its main thread is in, the innermost first.
///
/// No debugger: the process is stopped, `/proc` gives stack and program counter, and the chain of
/// frame pointers, which Swift keeps, is read from its memory. Functions of the C library keep
/// none: the first pair of a frame pointer and a return address above the stack pointer that leads
/// on is where the chain is joined.
enum UserStack {
  /// So much of the stack is looked at, the innermost part.
  private static let stackBytesMax = 256 << 10
  private static let framesMax = 64
  /// More functions are not named.
  private static let namedMax = 3
  private static let stopPatience = 20

  /// The process stands still, and is about to be killed.
  static func callers(inMainThreadOf pid: Int32) -> [String] {
    guard let (stack, counter) = registers(of: pid) else { return [] }
    let maps = Maps(of: pid)
    var bytes = [UInt8](repeating: 0, count: stackBytesMax)
    let end = maps.end(ofRegionWith: stack)
    let wanted = min(bytes.count, Int(clamping: end - min(stack, end)))
    let count = cplatform_read_memory(pid, stack, &bytes, wanted)
    let words = bytes[..<(count & ~7)].withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) }
    let addresses = [counter] + chain(words, at: stack, maps)
    return named(addresses, maps)
  }

  /// Stack pointer and program counter, once the thread is stopped outside of any call.
  private static func registers(of pid: Int32) -> (stack: UInt64, counter: UInt64)? {
    for _ in 0..<stopPatience {
      let line = SmallFile.lineIfReadable("/proc/\(pid)/task/\(pid)/syscall")
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

  /// The return addresses of the frames above the stack pointer.
  private static func chain(_ words: [UInt64], at stack: UInt64, _ maps: Maps) -> [UInt64] {
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
      if found.count > 2 { return found }
    }
    return []
  }

  /// The app's own functions: not the runtime's around them, nor those of libraries inside.
  private static func named(_ addresses: [UInt64], _ maps: Maps) -> [String] {
    var out: [String] = []
    for (index, address) in addresses.enumerated() {
      // A return address lies behind its call, which may be the function's last instruction.
      guard let function = maps.function(at: index == 0 ? address : address - 1),
        !function.isThunk
      else { continue }
      if function.isOurs, out.isEmpty { continue }
      if function.isOurs || out.count == namedMax { break }
      let text = function.text
      if out.last != text { out.append(text) }
    }
    return out
  }
}

/// What is mapped where in a process, and the functions of its program.
struct Maps {
  private struct Region {
    var range: Range<UInt64>
    var offset: UInt64
    var isCode: Bool
    var isProgram: Bool
  }

  private var regions: [Region] = []
  private let symbols: ProgramSymbols?

  init(of pid: Int32) {
    let text = SmallFile.bytesIfReadable("/proc/\(pid)/maps", bytesMax: 16 << 20) ?? []
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    symbols = ProgramSymbols(path: "/proc/\(pid)/exe")
    let program = symbols?.inode
    for line in lines {
      let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      let bounds = words.first?.split(separator: "-") ?? []
      guard words.count >= 5, bounds.count == 2, let low = UInt64(bounds[0], radix: 16),
        let high = UInt64(bounds[1], radix: 16), low < high
      else { continue }
      regions.append(
        Region(
          range: low..<high,
          offset: UInt64(words[2], radix: 16) ?? 0,
          isCode: words[1].contains("x"),
          isProgram: program != nil && UInt64(words[4]) == program
        )
      )
    }
  }

  private func region(_ address: UInt64) -> Region? { regions.first { $0.range.contains(address) } }

  func isCode(_ address: UInt64) -> Bool { region(address)?.isCode == true }

  func end(ofRegionWith address: UInt64) -> UInt64 { region(address)?.range.upperBound ?? address }

  /// The function of the program that `address` is in; nil for one of a library.
  func function(at address: UInt64) -> ProgramSymbols.Function? {
    guard let region = region(address), region.isProgram else { return nil }
    return symbols?.function(atOffset: address - region.range.lowerBound + region.offset)
  }
}
