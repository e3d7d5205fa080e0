// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

/// What a package that depends on this one has to compile.
@Suite(.waits) struct DependenceTests {
  private static let root = String(
    #filePath.dropLast("/Tests/CommandTests/DependenceTests.swift".count)
  )

  @Test func whoLinksTheSDKAloneCompilesNothingElse() throws {
    let result = shell(
      """
      mkdir -p Sources/App
      cat >Package.swift <<'END'
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "app",
        dependencies: [.package(name: "lifetrace", path: "\(Self.root)")],
        targets: [
          .executableTarget(name: "App", dependencies: [.product(name: "Lifetrace", package: "lifetrace")])
        ]
      )
      END
      echo 'import Lifetrace; Lifetrace.mark("here")' >Sources/App/main.swift
      swift build >said 2>&1 || { cat said; exit 1; }
      cd "$(swift build --show-bin-path)" && ls *.build/*.o | cut -d / -f 1 | sort -u
      """,
      in: try TestFolder()
    )
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output == "App.build\nCLifetrace.build\nLifetrace.build\n")
  }
}
