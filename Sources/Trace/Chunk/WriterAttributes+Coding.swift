// SPDX-License-Identifier: Apache-2.0

extension WriterAttributes {
  /// The most bytes of each of the strings; longer ones are cut.
  public static let stringBytesMax = 1_024

  package func encode(into out: inout ByteWriter) {
    for text in [app, process, host, boot, profile] {
      out.string(text.cut(toBytes: WriterAttributes.stringBytesMax))
    }
    out.byte(role.rawValue)
    out.byte(evidence.rawValue)
    out.byte(clock.rawValue)
    out.byte(previous == nil ? 0 : 1)
    if let previous {
      out.word(previous.high)
      out.word(previous.low)
    }
    out.varint(UInt64(pid))
    out.varint(UInt64(deviceBoot))
    out.signed(started.rawValue)
    out.signed(realOffset)
    out.varint(UInt64(timeScale))
  }

  package init(from input: inout ByteReader) throws(ChunkDamage) {
    let limit = WriterAttributes.stringBytesMax
    let app = try input.string("app", max: limit)
    let process = try input.string("process", max: limit)
    self.init(app: app, process: process)
    self.process = process
    host = try input.string("host", max: limit)
    boot = try input.string("boot", max: limit)
    profile = try input.string("profile", max: limit)
    // A role, tier or clock of a later version reads as the most careful one known here.
    role = ProcessRole(rawValue: try input.byte("role")) ?? .daemon
    evidence = EvidenceTier(rawValue: try input.byte("evidence")) ?? .log
    clock = ClockDomain(rawValue: try input.byte("clock")) ?? .virtual
    if try input.byte("previous") != 0 {
      previous = WriterID(high: try input.word("previous"), low: try input.word("previous"))
    }
    pid = UInt32(try input.count("pid", max: Int(UInt32.max)))
    deviceBoot = UInt32(try input.count("device boot", max: Int(UInt32.max)))
    started = HostTime(rawValue: try input.signed("start time"))
    realOffset = try input.signed("real offset")
    timeScale = UInt32(try input.count("time scale", max: Int(UInt32.max)))
  }
}

extension String {
  /// At most `limit` bytes of UTF-8, cut between characters and ending in "…" when cut.
  func cut(toBytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var kept = String()
    for scalar in unicodeScalars {
      guard kept.utf8.count + UTF8.width(scalar) + 3 <= limit else { break }
      kept.unicodeScalars.append(scalar)
    }
    return kept + "…"
  }
}
