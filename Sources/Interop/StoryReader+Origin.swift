// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

extension StoryReader {
  /// Takes what a writer's line says of its recording; false where `key` is nothing of that.
  func setOrigin(
    _ token: StoryToken,
    _ key: String,
    _ origin: inout RecordingOrigin
  ) throws(StoryError) -> Bool {
    if key == "run" {
      origin.run = token.value
      return true
    }
    guard ["session", "machine", "recorder"].contains(key) else { return false }
    guard let id = WideID(token.value) else {
      throw StoryError(
        line: line,
        column: token.column,
        message: "\(token.value) is no id; write 32 hexadecimal digits"
      )
    }
    switch key {
    case "session": origin.session = id
    case "machine": origin.machine = id
    default: origin.recorder = id
    }
    return true
  }
}
