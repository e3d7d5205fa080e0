// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import Testing
import LifetraceTrace

/// What stands in the file is what the newest save put there: bytes count, not numbers.
@Suite struct StandingTests {
  /// Hashes of contents.
  private static let (a, b): (UInt64, UInt64) = (0xa, 0xb)

  private func fold(_ body: (inout Fold) -> Void) -> LifeState {
    var fold = Fold()
    fold.add(.processStart)
    body(&fold)
    return fold.state
  }

  private func object(_ body: (inout Fold) -> Void) -> DataObject? {
    fold(body).data.entries.first?.value
  }

  private func unsaved(at level: DurabilityLevel = .kernel, _ body: (inout Fold) -> Void) -> Bool {
    !fold(body).unsaved(at: level).isEmpty
  }

  @Test func anEditThatIsTakenBackIsSaved() {
    let taken: (inout Fold) -> Void = {
      $0.data(.dataDirty, 1, hash: Self.a)
      $0.save(1, .disk, hash: Self.a)
      $0.data(.dataDirty, 2, hash: Self.b)
      $0.data(.dataDirty, 3, hash: Self.a)
    }
    #expect(!unsaved(taken))
    #expect(!unsaved(at: .disk, taken))
    // Since the edit after it, not since the first.
    let object = fold {
      taken(&$0)
      $0.data(.dataDirty, 4, hash: Self.b)
    }.data.entries.first?.value
    #expect(object?.firstUnsaved?.version == 4)
  }

  /// A save that names no hash is of the version that an edit, or another save, has told of.
  @Test func aSaveWithoutAHashIsOfWhatWasTold() {
    for early in [Self.a, 0] {
      #expect(
        !unsaved(at: .disk) {
          $0.data(.dataDirty, 1, hash: Self.a)
          $0.save(1, .disk, hash: early)
          $0.save(1, .disk, hash: 0)
          $0.data(.dataDirty, 2, hash: Self.b)
          $0.data(.dataDirty, 3, hash: Self.a)
        }
      )
    }
    // Not of one that nobody told of.
    #expect(
      unsaved(at: .disk) {
        $0.data(.dataDirty, 1, hash: Self.a)
        $0.data(.dataDirty, 2, hash: Self.b)
        $0.save(1, .disk, hash: 0)
        $0.data(.dataDirty, 3, hash: Self.a)
      }
    )
  }

  @Test func whatANewerSaveHasReplacedIsNotThere() {
    let replaced: (inout Fold) -> Void = {
      $0.data(.dataDirty, 1, hash: Self.a)
      $0.save(1, .disk, hash: Self.a)
      $0.data(.dataDirty, 2, hash: Self.b)
      $0.save(2, .kernel, hash: Self.b)
      $0.data(.dataDirty, 3, hash: Self.a)
    }
    #expect(unsaved(replaced))
    // On the disk the first may stand or the second.
    #expect(unsaved(at: .disk, replaced))
    #expect(object(replaced)?.standing.level == .kernel)
  }

  @Test func equalHashesOfOtherSizesOrUnknownOnesAreNotEqual() {
    #expect(
      unsaved {
        $0.data(.dataDirty, 1)
        $0.save(1, .disk, hash: 0)
        $0.data(.dataDirty, 2)
      }
    )
    #expect(
      unsaved {
        $0.save(1, .disk, hash: Self.a)
        let object = UInt64($0.object.rawValue)
        $0.add(.dataDirty, identity: object, arguments: (2, 11, Self.a, 0))
      }
    )
  }

  @Test func aSaveUnderWayMayReplaceIt() {
    let under: (inout Fold) -> Void = {
      $0.data(.dataDirty, 1, hash: Self.a)
      $0.save(1, .disk, hash: Self.a)
      $0.data(.dataDirty, 2, hash: Self.b)
      $0.data(.dataFlushing, 2, hash: Self.b)
      $0.data(.dataDirty, 3, hash: Self.a)
    }
    #expect(unsaved(under))
    #expect(
      !unsaved {
        under(&$0)
        $0.data(.dataFailed, 2)
      },
      "it has failed: what stood there still does"
    )
    #expect(
      unsaved {
        under(&$0)
        $0.data(.dataDurable, 2, level: .disk, hash: Self.b)
      }
    )
    #expect(
      fold {
        under(&$0)
        $0.data(.dataFlushing, 3, hash: Self.a)
      }.data.entries.first?.value.isBeingSaved == true
    )
  }

  @Test func whatIsSaidToBeUnchangedIsWhereItsBytesAre() {
    let said: (inout Fold) -> Void = {
      $0.data(.dataRestored, 1, hash: Self.a)
      $0.data(.dataDirty, 2, hash: Self.a)
      $0.data(.dataUnchanged, 2, level: .kernel, hash: Self.a)
    }
    #expect(!unsaved(said))
    #expect(!unsaved(at: .disk, said), "what the launch found was on the disk")
    // Of something else that it says so: it is mistaken.
    #expect(
      unsaved {
        $0.data(.dataRestored, 1, hash: Self.a)
        $0.data(.dataDirty, 2, hash: Self.b)
        $0.data(.dataUnchanged, 2, level: .kernel, hash: Self.a)
      }
    )
  }

  @Test func whatTheLifeBeforeHasNotSyncedIsNotOnTheDisk() {
    var first = Fold()
    first.add(.processStart)
    first.data(.dataDirty, 1, hash: Self.a)
    first.save(1, .kernel, hash: Self.a)
    var second = Fold()
    second.state.beginIncarnation(after: first.state, names: first.names)
    second.add(.processStart)
    second.data(.dataRestored, 1, hash: Self.a)
    second.data(.dataDirty, 2, hash: Self.a)
    #expect(second.state.unsaved(at: .kernel).isEmpty)
    #expect(second.state.unsaved(at: .disk).count == 1)
  }

  @Test func aSaveMayWriteOtherBytesThanTheEditTold() {
    // A file may have more in it than what was edited, whether or not the save has said that it begins.
    for begins in [true, false] {
      let saved: (inout Fold) -> Void = {
        $0.data(.dataDirty, 1, hash: Self.a)
        if begins { $0.data(.dataFlushing, 1) }
        $0.data(.dataDurable, 1, level: .disk, hash: Self.b)
      }
      #expect(!unsaved(at: .disk, saved))
      #expect(object(saved)?.standing(at: .disk) == .init(bytes: 10, hash: Self.b))
    }
  }

  /// Whoever gives versions up may delete the file with them.
  @Test func afterVersionsWereGivenUpNothingIsKnownToStandThere() {
    let given: (inout Fold) -> Void = {
      $0.data(.dataDirty, 1, hash: Self.a)
      $0.save(1, .disk, hash: Self.a)
      $0.data(.dataDiscarded, 1)
    }
    #expect(!unsaved(given))
    for (hash, survival) in [(Self.a, DataObject.Survival.stoodBefore), (Self.b, nil)] {
      let edited: (inout Fold) -> Void = {
        given(&$0)
        $0.data(.dataDirty, 2, hash: hash)
      }
      #expect(unsaved(edited))
      #expect(object(edited)?.survival(at: .kernel) == survival)
      // Nor after the next launch, until it looks.
      var next = Fold()
      next.state.beginIncarnation(after: fold(given), names: next.names)
      next.data(.dataDirty, 2, hash: hash)
      #expect(next.state.data.entries.first?.value.survival(at: .kernel) == survival)
      next.data(.dataRestored, 0)
      #expect(next.state.data.entries.first?.value.survival(at: .kernel) == nil)
    }
    #expect(
      !unsaved {
        given(&$0)
        $0.data(.dataDirty, 2, hash: Self.b)
        $0.save(2, .disk, hash: Self.b)
        $0.data(.dataDirty, 3, hash: Self.a)
        $0.data(.dataDirty, 4, hash: Self.b)
      },
      "a save says again what stands there"
    )
  }

  @Test func aSaveThatIsUnderWayWhenItsVersionIsGivenUpMayBringTheFileBack() {
    let crossed: (inout Fold) -> Void = {
      $0.data(.dataDirty, 1, hash: Self.a)
      $0.data(.dataFlushing, 1)
      $0.data(.dataDiscarded, 1)
      $0.data(.dataDurable, 1, level: .kernel, hash: Self.a)
      $0.data(.dataDirty, 2, hash: Self.a)
    }
    #expect(object(crossed)?.standing(at: .kernel) == nil)
    #expect(object(crossed)?.survival(at: .kernel) == .stoodBefore)
  }

  @Test func whatIsReadBackAfterASaveStandsThere() {
    let another: (inout Fold) -> Void = {
      $0.data(.dataDirty, 1, hash: Self.a)
      $0.save(1, .disk, hash: Self.a)
      // Another app has changed it.
      $0.data(.dataRestored, 2, hash: Self.b)
    }
    #expect(
      unsaved {
        another(&$0)
        $0.data(.dataDirty, 3, hash: Self.a)
      }
    )
    let back: (inout Fold) -> Void = {
      another(&$0)
      $0.data(.dataDirty, 3, hash: Self.a)
      $0.data(.dataDirty, 4, hash: Self.b)
    }
    #expect(!unsaved(back))
    // Whether the other app has synced it is not known.
    #expect(unsaved(at: .disk, back))
    #expect(object(back)?.survival(at: .disk) == .stoodBefore)
  }

  @Test func anotherFileIsNotItsOwn() {
    let copied: (inout Fold) -> Void = {
      $0.data(.dataDirty, 1, hash: Self.a)
      $0.save(1, .disk, hash: Self.a)
      $0.data(.dataDirty, 2, hash: Self.b)
      $0.data(.dataCopied, 2, level: .disk, hash: Self.b)
    }
    #expect(unsaved(copied))
    #expect(object(copied)?.survival(at: .kernel) == .copied)
    #expect(object(copied)?.standing(at: .disk) == .init(bytes: 10, hash: Self.a))
    // Of an older version it says nothing of the newest.
    let older: (inout Fold) -> Void = {
      copied(&$0)
      $0.data(.dataDirty, 3, hash: Self.b)
    }
    #expect(object(older)?.survival(at: .kernel) == nil)
    let read: (inout Fold) -> Void = {
      $0.data(.dataRestored, 1, hash: Self.a)
      $0.data(.dataRead, 1, hash: Self.b)
    }
    #expect(object(read)?.standing(at: .kernel) == .init(bytes: 10, hash: Self.a))
    // Where its own has never held anything it may live there.
    let elsewhere: (inout Fold) -> Void = {
      $0.data(.dataRestored, 0)
      $0.data(.dataRead, 1, hash: Self.b)
      $0.data(.dataDirty, 2, hash: Self.b)
    }
    #expect(object(elsewhere)?.survival(at: .kernel) == .stoodBefore)
  }

  @Test func whatWasWrittenAndNotSyncedMayBeThereAfterAPowerCut() {
    let written: (inout Fold) -> Void = {
      $0.data(.dataDirty, 1, hash: Self.a)
      $0.save(1, .disk, hash: Self.a)
      $0.data(.dataDirty, 2, hash: Self.b)
      $0.save(2, .kernel, hash: Self.b)
    }
    #expect(object(written)?.survival(at: .disk) == .notSynced)
    for hash in [Self.a, Self.b, 0xc] {
      let edited: (inout Fold) -> Void = {
        written(&$0)
        $0.data(.dataDirty, 3, hash: hash)
      }
      #expect(object(edited)?.survival(at: .disk) == (hash == 0xc ? nil : .stoodBefore))
    }
  }

  @Test func aReadThatFailsWhileTheSameVersionIsSavedEndsNoSave() {
    let read: (inout Fold) -> Void = {
      $0.data(.dataDirty, 1, hash: Self.a)
      $0.data(.dataFlushing, 1)
      let object = UInt64($0.object.rawValue)
      $0.add(.dataFailed, identity: object, arguments: (1, 5, 0, 1))
    }
    #expect(object(read)?.isBeingSaved == true)
  }

  @Test func whileOneOfSeveralSavesIsUnderWayNothingIsCertain() throws {
    let object = try #require(
      fold {
        $0.save(1, .disk, hash: Self.a)
        $0.data(.dataDirty, 2, hash: Self.b)
        for _ in 0..<2 { $0.data(.dataFlushing, 2) }
        $0.data(.dataFailed, 2)
        $0.data(.dataDirty, 3, hash: Self.a)
      }.data.entries.first?.value
    )
    #expect(object.isUnsaved(at: .kernel))
  }

  /// A save that a newer one has overtaken ends when it likes: it is not the end of the next.
  @Test(arguments: [EventKind.dataDurable, .dataFailed])
  func theEndOfAnOvertakenSaveIsNotThatOfTheNext(end: EventKind) throws {
    let object = try #require(
      fold {
        $0.data(.dataFlushing, 1)
        $0.data(.dataDirty, 2, hash: Self.a)
        $0.save(2, .kernel, hash: Self.a)
        $0.data(.dataDirty, 3, hash: Self.b)
        $0.data(.dataFlushing, 3)
        $0.data(end, 1, level: .kernel, hash: 0)
      }.data.entries.first?.value
    )
    #expect(object.isUnsaved(at: .kernel))
    #expect(object.isBeingSaved)
    #expect(object.flushing?.version == 3)
  }

  @Test func aReadThatFailsEndsNoSave() throws {
    let under: (inout Fold) -> Void = {
      $0.data(.dataDirty, 2, hash: Self.b)
      $0.data(.dataFlushing, 2)
      $0.data(.dataFailed, 1)
    }
    #expect(fold(under).data.entries.first?.value.isBeingSaved == true)
    let ended = fold {
      under(&$0)
      $0.data(.dataFailed, 2)
    }
    #expect(ended.data.entries.first?.value.isBeingSaved == false)
  }

  @Test func moreSavesAtOnceThanAreListedAreAllAwaited() throws {
    let count = UInt64(OpenFlushes.listedMax) + 2
    let all: (inout Fold) -> Void = { fold in
      for version in 1...count { fold.data(.dataFlushing, version) }
    }
    // Of those that have failed nothing is known but that they have.
    for failed in 1...count {
      let object = try #require(
        fold {
          all(&$0)
          for version in 1...failed { $0.data(.dataFailed, version) }
        }.data.entries.first?.value
      )
      #expect(object.openFlushes.isEmpty == (failed == count))
      #expect((object.flushing == nil) == (failed == count))
    }
    let newest = fold {
      all(&$0)
      $0.data(.dataDurable, count, level: .kernel, hash: Self.a)
    }
    #expect(newest.data.entries.first?.value.openFlushes == OpenFlushes())
  }
}
