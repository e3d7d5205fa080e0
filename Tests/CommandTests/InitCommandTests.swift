// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import TestThreads
import Testing

@Suite(.waits) struct InitCommandTests {
  @Test func theDirectoryIsMadeAndTheNextStepsAreTold() throws {
    let folder = try TestFolder()
    let result = shell(
      "lifetrace init new/app; echo \"code $?\"; cd new/app; find . -type f | sort",
      in: folder
    )
    let said = """
      code 0
      ./Tests/LifecycleTests/LifecycleTests.swift
      ./lifetrace.yml
      ./scenario.yml

      """
    #expect(result.output.hasSuffix(said), "\(result.output)")
    for word in [
      "wrote new/app/scenario.yml", ".product(name: \"LifetraceTesting\"", "swift test",
      "lifetrace check run.lifetrace",
    ] {
      #expect(result.output.contains(word), "\(result.output)")
    }
    let checked = shell(
      "cd new/app; lifetrace scenario check scenario.yml && lifetrace record -o t -- true",
      in: folder
    )
    #expect(checked.status == 0, "\(checked.output)")
  }

  @Test(
    "In a folder of another language it is told how such an app takes part, without a Swift test"
  )
  func otherLanguages() throws {
    let folder = try TestFolder()
    let result = shell(
      "touch app.c Makefile; lifetrace init; echo \"code $?\"; find . -type f | sort",
      in: folder
    )
    #expect(
      result.output.hasSuffix("code 0\n./Makefile\n./app.c\n./lifetrace.yml\n./scenario.yml\n"),
      "\(result.output)"
    )
    for word in [
      "PROTOCOL.md", "diary.c", "lifetrace.h", "LT_SAVE", "lifetrace check run.lifetrace",
    ] {
      #expect(result.output.contains(word), "\(result.output)")
    }
    #expect(!result.output.contains("Package.swift"), "\(result.output)")
  }

  @Test func theStarterHasAnExampleOfData() throws {
    let folder = try TestFolder()
    let result = shell(
      """
      lifetrace init >/dev/null; sed -i 's/^# data:/data:/' lifetrace.yml
      mkdir .local; echo 'echo a >x.sqlite' >w.sh
      lifetrace record --observe -o t -- sh w.sh; lifetrace dump t --where data
      """,
      in: folder
    )
    #expect(result.output.contains("data.dirty x.sqlite"), "\(result.output)")
    let page = shell("lifetrace init --keys a-folder; ls", in: folder)
    #expect(page.output.contains("| `data` |") && !page.output.contains("a-folder"))
  }

  @Test func theStarterFailsOnAnAppThatLosesItsEdit() throws {
    let folder = try TestFolder()
    let play = "lifetrace record -f --scenario scenario.yml -o t -- $notes --directory ."
    let lost = shell("lifetrace init && \(play)", in: folder)
    #expect(lost.status == 1, "\(lost.output)")
    #expect(lost.output.contains("DS02"), "\(lost.output)")
    let kept = shell("rm -f draft.txt; \(play) --fixed", in: folder)
    #expect(kept.status == 0, "\(kept.output)")
  }

  @Test(arguments: ["lifetrace.yml", "scenario.yml", "Tests/LifecycleTests/LifecycleTests.swift"])
  func whereOneExistsNothingIsWritten(path: String) throws {
    let result = shell(
      """
      mkdir -p Tests/LifecycleTests; echo mine >\(path)
      lifetrace init; echo "code $?"; find . -type f; cat \(path)
      """,
      in: try TestFolder()
    )
    #expect(result.output.contains("lifetrace: ./\(path): the file exists\n"), "\(result.output)")
    #expect(result.output.hasSuffix("code 74\n./\(path)\nmine\n"), "\(result.output)")
  }

  /// The root of this package.
  private static let root = String(
    #filePath.dropLast("/Tests/CommandTests/InitCommandTests.swift".count)
  )

  /// An app core as the starter test expects it.
  private static let core = """
    mkdir -p Sources/YourAppCore
    cat >Sources/YourAppCore/Core.swift <<'END'
    import LifetraceApp

    final class YourAppDelegate: ApplicationDelegate {}
    END
    """

  @Test func theStarterTestCompiles() throws {
    let products = String(BuiltBinary.path.dropLast("/lifetrace".count))
    let result = shell(
      """
      lifetrace init && \(Self.core)
      products=\(TerminalSession.quoted(products)) root=\(TerminalSession.quoted(Self.root))
      set -- -swift-version 6 -parse-as-library -I "$products/Modules" -I .
      for map in "$products"/C*.build/module.modulemap "$root"/Sources/C*/module.modulemap; do
        set -- "$@" -Xcc -fmodule-map-file="$map"
      done
      swiftc "$@" -emit-module -enable-testing -module-name YourAppCore Sources/YourAppCore/*.swift &&
        swiftc "$@" -typecheck -module-name LifecycleTests Tests/LifecycleTests/*.swift
      """,
      in: try TestFolder()
    )
    #expect(result.status == 0, "\(result.output)")
  }

  /// A minute: the whole package is built once more.
  @Test(.enabled(if: getenv("LIFETRACE_TEST_SCALE") != nil, "Scripts/test.sh --large"))
  func theStarterTestRunsInAPackageMadeAsItIsTold() throws {
    let result = shell(
      """
      lifetrace init >said && \(Self.core)
      {
        printf '// swift-tools-version: 6.2\\nimport PackageDescription\\n'
        printf 'let package = Package(name: "app", dependencies: [\\n'
        grep '^ *[.]package' said | sed 's,[.][.]/lifetrace,'\(TerminalSession.quoted(Self.root)),
        printf '], targets: [\\n'
        sed -n '/^ *[.]target(/,/^ *2[.]/p' said | sed '$d; s/^ *[.]testTarget/,.testTarget/'
        printf '])\\n'
      } >Package.swift
      cat Package.swift
      swift test
      """,
      in: try TestFolder()
    )
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output.contains("Test survivesPurge() passed"), "\(result.output)")
  }

  @Test func whatCannotBeWrittenWholeIsNotThereAtAll() throws {
    // The last of the three files has no room for its directory.
    let result = shell(
      "touch Tests; lifetrace init; echo \"code $?\"; ls; lifetrace init Tests/x; echo \"code $?\"",
      in: try TestFolder()
    )
    #expect(result.output.contains("nothing was written\ncode 74\nTests\n"), "\(result.output)")
    #expect(result.output.hasSuffix("nothing was written\ncode 74\n"), "\(result.output)")
  }
}
