// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetracePlatform
import LifetraceRecorder
import LifetraceTrace
import LifetraceWords

/// `64MiB`, `10MB`, `4096`.
struct ByteSize {
  var bytes: Int

  init(typed text: String) throws {
    guard let bytes = TypedQuantity.bytes(text) else {
      throw ValidationError("write a size, 64MiB or 500kB")
    }
    self.bytes = bytes
  }
}

/// `30s`, `500ms`, `5m`, or a size.
struct KeptPast {
  var retention: RecorderOptions.Retention

  /// A bare number could be either, so the unit is asked for.
  init(typed text: String) throws {
    if text.last?.isNumber == true {
      throw ValidationError("write a time with its unit, 30s or 5m, or a size, 64MiB")
    } else if let time = TypedQuantity.nanoseconds(text), time > 0 {
      retention = .duration(nanoseconds: time)
    } else if let bytes = TypedQuantity.bytes(text) {
      retention = .bytes(bytes)
    } else {
      throw ValidationError("write a time with its unit, 30s or 5m, or a size, 64MiB")
    }
  }
}

/// `drop` or `block:100`.
struct FullPolicy: CustomStringConvertible {
  var policy: RecorderOptions.OnFull

  init(policy: RecorderOptions.OnFull) { self.policy = policy }

  init(typed text: String) throws {
    if text == "drop" {
      policy = .drop
    } else if text.hasPrefix("block:"), let wait = UInt64(text.dropFirst(6)), wait <= 3_600_000 {
      policy = .block(nanoseconds: wait * 1_000_000)
    } else {
      throw ValidationError("write drop, or block:100 to wait for up to 100 ms")
    }
  }

  var description: String {
    switch policy {
    case .drop: "drop"
    case .block(let nanoseconds): "block:\(nanoseconds / 1_000_000)"
    }
  }
}

/// `90s`, `5m`, `500ms`: at least a millisecond, at most a day.
struct WaitTime {
  let milliseconds: Int64

  init(milliseconds: Int64) { self.milliseconds = milliseconds }

  init(typed text: String) throws {
    guard text.last?.isNumber == false, let time = TypedQuantity.nanoseconds(text),
      (1_000_000...86_400_000_000_000).contains(time)
    else {
      throw ValidationError("write a time with its unit, 90s or 5m, at most 24h")
    }
    milliseconds = time / 1_000_000
  }
}
