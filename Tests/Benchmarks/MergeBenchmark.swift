// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support

/// `merge` of recordings of many processes that live at the same time, as it copies and in the order of all:
/// the whole program, from its start to its end.
func benchmarkMerge(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let directory = try BenchmarkDirectory()
  let counts = size == .small ? [3] : [64, 1_024]
  return try counts.flatMap { writers in
    let (chunks, rows) = (4, size == .small ? 64 : 16_384)
    let path = try CrowdedTrace.path(
      writers: writers,
      chunks: chunks,
      rows: rows,
      in: directory.path
    )
    let events = Double(writers * chunks * rows)
    var copied = 0.0
    return try [[], ["--ordered"]].map { option in
      let command =
        [lifetrace(), "merge", "-f", "-o", directory.path + "/merged"] + option + [path]
      let (kibibytes, processor) = try run(command)
      let rate = events / processor / 1e6
      defer { copied = rate }
      let least = writers > 64 ? 5.0 : 10.0
      let megabytes = Double(kibibytes) / 1_024
      return BenchmarkRow(
        "\(writers) writers: merge \(option.first ?? "")",
        "\(fixed(rate, 1)) M/s",
        peer: "\(fixed(megabytes, 0)) MB"
          + (option.isEmpty ? "" : ", copying \(fixed(copied, 1)) M/s"),
        target: option.isEmpty ? "" : "\(fixed(least, 0)) M/s, 256 MB",
        reached: option.isEmpty || size == .small ? nil : rate >= least && megabytes <= 256
      )
    }
  }
}
