// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// One of the files that together are a recording, as `replay` finds it alone.
package struct ReportedFile: Sendable {
  private let path: String
  /// By stream of the recording: how the file alone calls the writer; nil where it is not in it.
  private let labels: [String?]
  /// By stream of the recording: which events the file holds.
  private let held: [HeldSequences]

  /// Describes the file at `path`; `labels` and `held` are by stream of the recording.
  package init(path: String, labels: [String?], held: [HeldSequences]) {
    self.path = path
    self.labels = labels
    self.held = held
  }

  /// Where `replay` finds an event: in the first of `files` that has it, else in one with its writer.
  static func place(
    of sequence: UInt64,
    _ stream: Int,
    in files: [ReportedFile]
  ) -> (path: String, label: String)? {
    let those = files.filter { stream < $0.labels.count && $0.labels[stream] != nil }
    let file = those.first { $0.held[stream].contains(sequence) } ?? those.first
    return file.flatMap { file in file.labels[stream].map { (file.path, $0) } }
  }
}
