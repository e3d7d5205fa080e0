// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceExplore
import LifetracePlatform
import LifetraceTrace

/// What `explore` leaves behind for each kind of failure: the smallest scenario, a test that plays it,
/// and the recording of the first play that failed so.
final class ExploredFiles {
  private let folder: String?
  /// The recording of the first play that failed so, by kind of failure.
  private var recordings: [FailureClass: [UInt8]] = [:]

  /// In that folder; nil for nowhere.
  init(folder: String?) { self.folder = folder }

  /// Makes the folder, if it is not there.
  func make() throws {
    guard let folder, mkdir(folder, 0o777) != 0, errno != EEXIST else { return }
    Failure.say("\(Printable.line(folder)): cannot make it: \(errnoText(errno))")
    throw TraceOpening.io
  }

  /// Remembers the recording at `path`, which another play will replace.
  func keep(_ path: String?, of kind: FailureClass) {
    guard folder != nil, let path else { return }
    recordings[kind] = SmallFile.bytesIfReadable(path, bytesMax: Self.bytesMax)
  }

  /// Larger recordings are not kept.
  private static let bytesMax = 16 << 20

  /// Writes them; by failure, a line about each file.
  ///
  /// A test plays an app that links the SDK; one that is observed has none.
  func write(_ found: Exploration, isObserved: Bool) throws -> [[String]] {
    guard let folder else { return found.failures.map { _ in [] } }
    return try found.failures.enumerated().map { number, failure in
      var out: [String] = []
      let stem = "\(folder)/explored-\(number + 1)"
      if let yaml = failure.yaml(isObserved: isObserved) {
        try write(Array(yaml.utf8), to: stem + ".yml")
        let steps = Quantity.count(failure.smallest?.steps.count ?? 0, "step")
        var line = "Smallest scenario: \(stem).yml (\(steps))"
        if !isObserved, let test = failure.test(playing: stem + ".yml") {
          try write(Array(test.utf8), to: stem + ".swift")
          line += "; as a test: \(stem).swift"
        }
        out.append(line)
      }
      if let recording = recordings[failure.kind] {
        try write(recording, to: stem + ".lifetrace")
        out.append("Walk through the first: lifetrace replay \(stem).lifetrace")
      }
      return out
    }
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    let problem = file < 0 ? errno : Descriptor.write(bytes, to: file)
    if file >= 0 { close(file) }
    guard problem != 0 else { return }
    Failure.say("\(Printable.line(path)): cannot write it: \(errnoText(problem))")
    throw TraceOpening.io
  }
}
