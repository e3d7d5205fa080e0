// SPDX-License-Identifier: Apache-2.0
internal import Support

/// What hostile input is fed to, and what it is made of.
///
///     let fuzz = Fuzz(.story, seed: 7)
///     fuzz.run(fuzz.input(12))        // the same bytes every time
///
/// An input is told by target, seed and index; ``Tests/Fuzz`` runs millions of them
/// in processes of their own and makes what crashes small.
public struct Fuzz: Sendable {
  /// A part of the tool that reads what others wrote.
  public enum Target: String, CaseIterable, Sendable {
    /// A trace file: reader, fold, check and replay.
    case trace
    /// The decompressed columns of one chunk.
    case columns
    /// The state before a chunk.
    case keyframe
    /// A device log.
    case console
    /// A recording in text.
    case story
    /// A scenario in YAML.
    case scenario
    /// A project's lifetrace.yml.
    case configuration
    /// A line between host and app in JSON.
    case wire
    /// What an editor says to `replay --dap`.
    case editor
    /// The memory that an app shares with the recorder.
    case pool
    /// What comes with a message: a traceparent, a line below it a tracestate.
    case context
  }

  /// An input that takes longer is a hang.
  public static let secondsMax = 10
  /// An input that makes a process larger than this is a fault.
  public static let memoryBytesMax = 1 << 30
  /// Inputs are no longer than this.
  public static let inputBytesMax = 1 << 17

  /// What reads the inputs.
  public let target: Target
  /// Decides all inputs.
  public let seed: UInt64
  private let corpus: [[UInt8]]
  private let words: [[UInt8]]

  /// Inputs for `target` from `seed`.
  public init(_ target: Target, seed: UInt64) {
    self.target = target
    self.seed = seed
    corpus = Corpus.inputs(target)
    words = Corpus.words(target)
  }

  /// The bytes of the input with that index.
  public func input(_ index: Int) -> [UInt8] {
    var mutator = Mutator(seed: seed &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15, words: words)
    // One of a hundred is made of nothing.
    if mutator.below(100) == 0 { return mutator.noise() }
    var bytes = corpus[mutator.below(corpus.count)]
    if target == .trace {
      TraceMutator.mutate(&bytes, with: &mutator)
    } else if target == .keyframe, mutator.below(8) == 0 {
      let labels = mutator.below(20)
      let sites = mutator.below(16_384) / (1 + 7 * labels)
      bytes = KeyframeForge.adding(sites: sites, labels: labels, to: bytes) ?? bytes
    } else if target == .editor {
      bytes = EditorTalk.input(corpus, &mutator)
    } else {
      mutator.mutate(&bytes, other: corpus[mutator.below(corpus.count)])
    }
    return Array(bytes.prefix(Self.inputBytesMax))
  }

  /// Reads `input` as the tool would; returns what it found wrong with the tool, or nil.
  public func run(_ input: [UInt8]) -> String? {
    switch target {
    case .trace: Victims.trace(input)
    case .columns: Victims.columns(input)
    case .keyframe: Victims.keyframe(input)
    case .console: Victims.console(input)
    case .story: Victims.story(input)
    case .scenario: Victims.scenario(input)
    case .configuration: Victims.configuration(input)
    case .wire: Victims.wire(input)
    case .editor: EditorTalk.survives(input)
    case .pool: Victims.pool(input)
    case .context: ContextVictim.read(input)
    }
  }
}
