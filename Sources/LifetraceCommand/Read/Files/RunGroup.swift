// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceTrace
import LifetraceTraceFile

/// Files that belong to one run: what recordings of several machines, or of several launches, are of.
///
/// Files that name a run in common are together, and so are all that name none. A merged file may name
/// several runs, which are one then.
struct RunGroup {
  /// The names of the run; empty where the files say nothing of one.
  var runs: [String]
  /// In the order in which they were given.
  var files: [String]

  /// `run nightly-7`, or `no run`.
  var name: String {
    runs.isEmpty ? "no run" : "run \(runs.map { Printable.line($0) }.joined(separator: " and "))"
  }

  /// What stands above what is said of the group, where there are several.
  var heading: String {
    "\(name): \(files.map { Printable.line($0) }.joined(separator: " "))"
  }

  /// The groups of `files`, in the order of their first ones; opens each where there are several.
  ///
  /// What cannot be read counts as a file without a run: who reads it says why.
  static func groups(of files: [String]) -> [RunGroup] {
    guard files.count > 1 else { return [RunGroup(runs: [], files: files)] }
    var groups: [RunGroup] = []
    for (number, file) in files.enumerated() {
      let runs = runs(of: file)
      var own = RunGroup(runs: runs, files: [file])
      // All that it belongs with become one group, at the place of the first.
      let fitting = groups.indices.filter { place in
        let others = groups[place].runs
        return others.isEmpty ? runs.isEmpty : others.contains(where: runs.contains)
      }
      guard let first = fitting.first else {
        groups.append(own)
        continue
      }
      let joined = fitting.map { groups[$0] }
      own.runs = Set(joined.flatMap(\.runs) + runs).sorted()
      own.files = joined.flatMap(\.files) + [files[number]]
      for place in fitting.reversed() { groups.remove(at: place) }
      groups.insert(own, at: first)
    }
    let place = Dictionary(zip(files, 0...), uniquingKeysWith: { first, _ in first })
    return groups.map { group in
      var group = group
      group.files.sort { place[$0, default: 0] < place[$1, default: 0] }
      return group
    }
  }

  private static func runs(of file: String) -> [String] {
    guard let reader = try? TraceReader(path: file, comparesPayloads: false) else { return [] }
    return Set(reader.streams.map(\.attributes.origin.run)).subtracting([""]).sorted()
  }
}
