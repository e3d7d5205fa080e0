// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform

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

  /// Whether it is code of the program, and of no library.
  func isProgram(_ address: UInt64) -> Bool {
    region(address).map { $0.isCode && $0.isProgram } ?? false
  }

  func end(ofRegionWith address: UInt64) -> UInt64 { region(address)?.range.upperBound ?? address }

  /// The function of the program that `address` is in; nil for one of a library.
  func function(at address: UInt64) -> ProgramSymbols.Function? {
    guard let region = region(address), region.isProgram else { return nil }
    return symbols?.function(atOffset: address - region.range.lowerBound + region.offset)
  }
}
