// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceTransport
import Support
import Testing

struct HeldTests {
  /// Against a set of numbers: any order, overlaps, repetitions.
  @Test func itIsASetOfNumbers() {
    var random = SeededRandom(seed: SeededRandom.seed)
    for _ in 0..<300 {
      var held = Held()
      var numbers: Set<UInt64> = []
      for _ in 0..<12 {
        let low = UInt64(random.below(60))
        let stretch = low..<low + UInt64(random.below(9))
        held.insert(stretch)
        numbers.formUnion(stretch)
        #expect(Set(held.stretches.joined()) == numbers, "seed \(SeededRandom.seed)")
        #expect(held.count == UInt64(numbers.count))
        for (one, next) in zip(held.stretches, held.stretches.dropFirst()) {
          #expect(one.upperBound < next.lowerBound && !one.isEmpty)
        }
      }
      for low in UInt64(0)..<66 {
        let asked = low..<low + 3
        #expect(held.contains(asked) == asked.allSatisfy(numbers.contains))
      }
      #expect(held.gaps.allSatisfy { !$0.contains { numbers.contains($0) } })
    }
  }

  @Test func whatIsHeldTravels() throws {
    let writer = WriterID(high: 0x3f, low: .max)
    for stretches: [Range<UInt64>] in [[], [0..<5], [3..<5, 9..<12, 20..<21]] {
      let have = Have(writer, Held(stretches))
      #expect(Have(have.body) == have)
    }
    let full = Have(writer, Held([0..<5]), isFull: true)
    #expect(Have(full.body) == full)
    let many = Held((0..<1_000).map { UInt64($0) * 4..<UInt64($0) * 4 + 2 })
    let told = try #require(Have(Have(writer, many).body))
    #expect(told.held.stretches.count == Have.gapsMax + 1)
    #expect(told.held.stretches.allSatisfy(many.contains), "no more than there is")
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"writer":"3f","from":0,"to":1,"gaps":[]}"#,
    #"{"writer":"000000000000003f000000000000003f","from":2,"to":1,"gaps":[]}"#,
    #"{"writer":"000000000000003f000000000000003f","from":-1,"to":1,"gaps":[]}"#,
    #"{"writer":"000000000000003f000000000000003f","from":0,"to":9,"gaps":[[5,4]]}"#,
    #"{"writer":"000000000000003f000000000000003f","from":0,"to":9,"gaps":[[4,9]]}"#,
    #"{"writer":"000000000000003f000000000000003f","from":0,"to":9,"gaps":[[1,2],[1,3]]}"#,
    #"{"writer":"000000000000003f00000000000000+f","from":0,"to":9,"gaps":[]}"#,
  ])
  func whatIsNoMessageIsNone(text: String) {
    #expect(Have(Array(text.utf8)) == nil)
  }

  @Test func subjectsAreOfOneTenant() throws {
    let subjects = try #require(Subjects(tenant: "acme"))
    let writer = WriterID(high: 1, low: 2)
    let chunk = subjects.chunk(session: "s", writer: writer)
    #expect(chunk.hasPrefix("lt.acme.") && chunk.hasSuffix(".s.\(writer.text)"))
    #expect(chunk.split(separator: ".").count == 5)
    #expect(Subjects.session(ofQuestion: subjects.question("s")) == "s")
    #expect(Subjects.session(ofQuestion: subjects.have("s")) == nil)
    for name in ["", "a.b", "*", ">", "a b", "ä", String(repeating: "a", count: 65)] {
      #expect(Subjects(tenant: name) == nil, "\(name)")
    }
  }

  @Test func eachUserHasAnInboxAndEachPartitionAStream() throws {
    #expect(Subjects.inbox(ofUser: "phone") == "_INBOX_phone")
    for user in [nil, "a.b", "*", ">"] { #expect(Subjects.inbox(ofUser: user) == "_INBOX") }
    let subjects = try #require(
      Subjects(tenant: "acme", inbox: "_INBOX_phone", partitions: 3...4)
    )
    #expect(subjects.newInbox(35) == "_INBOX_phone.ltz")
    #expect(subjects.chunks == ["lt.acme.3.*.*", "lt.acme.4.*.*"])
    #expect(subjects.stream == "LIFETRACE-acme-3-4")
    #expect(Subjects(tenant: "acme", partitions: 3...16) == nil)
    for inbox in ["", "a..b", "a.*", "a.>", "."] {
      #expect(Subjects(tenant: "acme", inbox: inbox) == nil, "\(inbox)")
    }
    let whole = try #require(Subjects(tenant: "acme"))
    #expect(whole.chunks == ["lt.acme.*.*.*"] && whole.stream == "LIFETRACE-acme")
    let writer = WriterID(high: 1, low: 2)
    for number in 0..<100 {
      let (session, partition) = ("\(number)", whole.chunk(session: "\(number)", writer: writer))
      let isTaken = partition.hasPrefix("lt.acme.3.") || partition.hasPrefix("lt.acme.4.")
      #expect(subjects.takes(session) == isTaken && whole.takes(session))
    }
  }

  @Test func waitingGrowsAndIsRandom() {
    var backoff = Backoff()
    var bounds: [Int] = []
    for _ in 0..<12 { bounds.append(backoff.next(.max - 1)) }
    #expect(bounds.allSatisfy { (Backoff.least / 2...Backoff.most).contains($0) })
    var other = Backoff()
    #expect((0..<12).map { _ in other.next(0) }.last == Backoff.most / 2)
    backoff.reset()
    #expect(backoff.next(0) == Backoff.least / 2)
  }
}
