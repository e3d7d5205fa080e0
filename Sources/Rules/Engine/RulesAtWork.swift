// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

/// The rules of a table at work on one stream: what they know, and their patterns.
///
/// Both stand in memory that does not move and is written only where nobody else refers to it: a
/// copy shares it until one of the two is changed (``own()``). The pointers are kept beside the
/// reference that keeps them alive, because each event goes through them. `@unchecked Sendable` for
/// the same reason.
struct RulesAtWork: @unchecked Sendable {
  private var memory: Memory
  /// What they know.
  private(set) var context: RuleContext
  /// By their index in the table; only those of ``begin(_:)`` are there.
  private var machines: UnsafeMutablePointer<Machine>

  /// A pattern of a rule in memory of its own.
  ///
  /// Small, as each event goes through several: what is rarely done with it stands in the rule.
  private struct Machine {
    /// The table keeps it alive; it is not counted at each call.
    var code: Unmanaged<PatternCode>
    var pattern: PatternCode.Memory
  }

  init(_ contents: RuleContents) { self.init(Memory(contents)) }

  private init(_ memory: Memory) {
    self.memory = memory
    context = RuleContext(contents: memory.contents)
    machines = memory.machines
  }

  /// Makes this the only value that refers to the memory.
  @inline(__always)
  mutating func own() {
    if !isKnownUniquelyReferenced(&memory) { self = RulesAtWork(memory.copied()) }
  }

  /// Lets these rules begin, by their indexes in the table; all that patterns remember is forgotten.
  mutating func begin(_ rules: [Int]) {
    memory.end()
    memory.begin(rules)
  }

  /// Lets a rule look at an event.
  @inline(__always)
  func apply(_ rule: Int, _ event: UnsafePointer<Event>, _ names: borrowing Names) {
    var context = context
    context.current = rule
    let pattern = machines[rule].pattern
    machines[rule].code._withUnsafeGuaranteedRef {
      $0.apply(pattern, event.pointee, &context, names)
    }
  }

  /// Lets a rule judge what is open behind the last event.
  func finish(_ rule: Int, _ last: borrowing Event, _ names: borrowing Names) {
    var context = context
    context.current = rule
    context.table[rule].code.finish(machines[rule].pattern, last, &context, names)
  }

  /// Frees what it holds with the last value that refers to it.
  private final class Memory {
    let contents: UnsafeMutablePointer<RuleContents>
    let machines: UnsafeMutablePointer<Machine>
    /// The rules that have begun.
    private var rules: [Int] = []

    init(_ contents: RuleContents) {
      self.contents = .allocate(capacity: 1)
      self.contents.initialize(to: contents)
      machines = .allocate(capacity: contents.table.count)
    }

    deinit {
      end()
      machines.deallocate()
      contents.deinitialize(count: 1)
      contents.deallocate()
    }

    func begin(_ rules: [Int]) {
      self.rules = rules
      for rule in rules {
        let code = contents.pointee.table[rule].code
        (machines + rule).initialize(to: Machine(code: .passUnretained(code), pattern: code.make()))
      }
    }

    func end() {
      for rule in rules {
        contents.pointee.table[rule].code.free(machines[rule].pattern)
        (machines + rule).deinitialize(count: 1)
      }
      rules = []
    }

    func copied() -> Memory {
      let copy = Memory(contents.pointee)
      copy.rules = rules
      for rule in rules {
        var machine = machines[rule]
        machine.pattern = contents.pointee.table[rule].code.copy(machine.pattern)
        (copy.machines + rule).initialize(to: machine)
      }
      return copy
    }
  }
}
