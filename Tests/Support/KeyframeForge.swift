// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Keyframes with strings and sites that the state does not use.
public enum KeyframeForge {
  /// The keyframe with so many sites more, all different, and names for them; nil where it is none.
  public static func adding(sites more: Int, labels: Int = 0, to keyframe: [UInt8]) -> [UInt8]? {
    do {
      var input = ByteReader(keyframe)
      var out = ByteWriter()
      out.byte(try input.byte("version"))
      let strings = try input.count("strings", max: keyframe.count)
      let start = input.position
      for _ in 0..<strings { _ = try input.block("string", max: keyframe.count) }
      out.varint(strings + 1)
      out.bytes += keyframe[start..<input.position]
      out.string("nobody asks for it")
      let sites = try input.count("sites", max: keyframe.count)
      let first = input.position
      for _ in 0..<sites {
        for _ in 0..<3 { _ = try input.varint("part of a site") }
        for _ in 0..<(try input.count("labels", max: keyframe.count)) {
          _ = try input.block("label", max: keyframe.count)
          _ = try input.byte("type")
        }
      }
      out.varint(sites + more)
      out.bytes += keyframe[first..<input.position]
      for line in 0..<more {
        out.varint(strings)
        out.varint(strings)
        out.varint(line)
        out.varint(labels)
        for _ in 0..<labels {
          out.string("label")
          out.byte(0)
        }
      }
      return out.bytes + keyframe[input.position...]
    } catch {
      return nil
    }
  }
}
