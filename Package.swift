// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Three arrows carry the architecture: the SDK depends on nothing an app would
// mind linking; Lifecycle is pure; each C library sits behind one target.

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]
let strictC: [CSetting] = [.treatAllWarnings(as: .error)]

/// A Swift target of this package, with the settings that all of them share.
func library(
  _ name: String,
  _ dependencies: [Target.Dependency] = [],
  exclude: [String] = []
) -> Target {
  .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// A test target named after the target it tests, with the shared helpers.
func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = [])
  -> Target
{
  .testTarget(
    name: name,
    dependencies: dependencies + ["Support"],
    resources: resources,
    swiftSettings: strict
  )
}

let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser",
  package: "swift-argument-parser"
)

let package = Package(
  name: "lifetrace",
  products: [
    .library(name: "Lifetrace", targets: ["Lifetrace"]),
    .library(name: "LifetraceApp", targets: ["LifetraceApp"]),
    .library(name: "LifetraceTesting", targets: ["LifetraceTesting"]),
    .library(name: "LifetraceXCTest", targets: ["LifetraceXCTest"]),
    .library(name: "TraceFile", targets: ["Trace", "TraceFile", "Lifecycle", "Rules"]),
    .executable(name: "lifetrace", targets: ["LifetraceCommand"]),
    .executable(name: "notes", targets: ["Notes"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
  ],
  targets: [
    // C libraries of the system, one target each.
    .systemLibrary(
      name: "CZstd",
      providers: [.apt(["libzstd-dev"])]
    ),
    .systemLibrary(
      name: "CReadline",
      providers: [.apt(["libreadline-dev"])]
    ),
    .systemLibrary(
      name: "CYaml",
      providers: [.apt(["libyaml-dev"])]
    ),

    // What an app links.
    .target(name: "CLifetrace", cSettings: strictC),
    library("Lifetrace", ["CLifetrace"]),
    library("LifetraceApp", ["Lifetrace", "CLifetrace", "HostWire", "CompactJSON"]),
    // What the host and an app under test say to each other.
    library("HostWire", ["CompactJSON"]),
    // JSON without Foundation: the host's lines and what `--json` prints.
    library("CompactJSON"),

    // What happened, how it is kept, what should happen, what went wrong.
    library("Trace"),
    library("TraceFile", ["Trace", "CZstd", "CSystem"], exclude: ["FORMAT.md"]),
    library("Lifecycle", ["Trace"], exclude: ["LIFECYCLE.md"]),
    library("Rules", ["Lifecycle", "Trace", "CompactJSON"]),

    // How it arrives.
    .target(name: "CSystem", cSettings: strictC),
    library("Recorder", ["TraceFile", "Trace", "Lifecycle", "CLifetrace", "CSystem"]),
    .target(
      name: "Host",
      dependencies: [
        "HostWire", "CompactJSON", "Recorder", "Rules", "Lifecycle", "Trace", "CYaml", "CSystem",
      ],
      exclude: ["PROTOCOL.md", "scenario.schema.json"],
      swiftSettings: strict
    ),
    library(
      "LifetraceTesting",
      [
        "LifetraceApp", "CLifetrace", "Host", "HostWire", "Recorder", "Interop", "Lifecycle",
        "Rules", "Trace", "TraceFile",
      ]
    ),
    // The same for XCTest, which brings Foundation.
    library("LifetraceXCTest", ["LifetraceTesting", "LifetraceApp", "Host"]),

    // How it is read.
    library("Timeline", ["TraceFile", "Trace", "Lifecycle"]),
    library("Replay", ["Timeline", "Rules", "TraceFile", "Lifecycle", "Trace"]),
    library(
      "Interop",
      ["Timeline", "Rules", "TraceFile", "Lifecycle", "Trace", "CompactJSON", "CSystem"]
    ),
    library(
      "Console",
      [
        "Replay", "Interop", "Rules", "Timeline", "Lifecycle", "Trace", "CompactJSON", "CReadline",
      ],
      exclude: ["REPLAY.md"]
    ),
    .executableTarget(
      name: "LifetraceCommand",
      dependencies: [
        "Recorder", "Host", "Console", "Replay", "Timeline", "Interop", "Rules", "Lifecycle",
        "TraceFile", "Trace", "CompactJSON", "CSystem", argumentParser,
      ],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "Notes",
      dependencies: ["NotesCore", "LifetraceApp"],
      path: "Sources/Examples/Notes",
      exclude: ["lost-edit.yml", "power-cut.yml"],
      swiftSettings: strict
    ),
    .target(
      name: "NotesCore",
      dependencies: ["LifetraceApp", "Lifetrace"],
      path: "Sources/Examples/NotesCore",
      swiftSettings: strict
    ),

    // Tests: one folder a target, plus the built binary and the benchmarks (two sizes).
    .target(
      name: "Support",
      dependencies: ["Lifecycle", "Trace"],
      path: "Tests/Support",
      swiftSettings: strict
    ),
    // An app that does what scenarios tell it, as a library for the simulator and as a process.
    .target(
      name: "ProbeCore",
      dependencies: ["LifetraceApp", "Lifetrace"],
      path: "Tests/Fixtures/ProbeCore",
      swiftSettings: strict
    ),
    // One delegate in one file, which both targets compile: here, and as UIKit would have it.
    .target(
      name: "BothSidesHere",
      dependencies: ["LifetraceApp"],
      path: "Tests/Fixtures/BothSides/Here",
      swiftSettings: strict
    ),
    .target(
      name: "BothSidesThere",
      path: "Tests/Fixtures/BothSides/There",
      swiftSettings: strict + [.define("UIKIT")]
    ),
    .executableTarget(
      name: "Probe",
      dependencies: ["ProbeCore", "LifetraceApp"],
      path: "Tests/Fixtures/Probe",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "Lifetrace", "CLifetrace", "CSystem", "Drain", "Recorder", "Replay", "Timeline", "Interop",
        "Rules", "Lifecycle", "TraceFile", "Trace", "Host", "LifetraceTesting", "ProbeCore",
        "Probe",
        "Support",
      ],
      path: "Tests/Benchmarks",
      swiftSettings: strict
    ),
    // A reader of pools and a program that emits, for tests of the app side of capture.
    .target(name: "Drain", dependencies: ["CLifetrace"], path: "Tests/Fixtures/Drain"),
    .executableTarget(
      name: "Emitter",
      dependencies: ["CLifetrace", "Drain"],
      path: "Tests/Fixtures/Emitter",
      cSettings: strictC
    ),
    // An app that takes part in scenarios without the Swift runtime, but with the SDK.
    .executableTarget(
      name: "WireApp",
      dependencies: ["CLifetrace"],
      path: "Tests/Fixtures/WireApp",
      cSettings: strictC
    ),
    // Hostile inputs by the million: a library for the tests, and a program that isolates crashes.
    .target(
      name: "Fuzzing",
      dependencies: [
        "CompactJSON", "Console", "CSystem", "CZstd", "Drain", "Host", "HostWire", "Interop",
        "Lifecycle",
        "Recorder", "Replay", "Rules", "Support", "Timeline", "Trace", "TraceFile",
      ],
      path: "Tests/Fuzzing",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "Fuzz",
      dependencies: ["Fuzzing", "CSystem"],
      path: "Tests/Fuzz",
      swiftSettings: strict
    ),
    tests("FuzzTests", ["Fuzzing"]),
    tests("TraceTests", ["Trace"]),
    tests("TraceFileTests", ["TraceFile", "Trace", "Interop", "CSystem", "CZstd"]),
    tests(
      "LifetraceTests",
      ["Lifetrace", "CLifetrace", "CSystem", "Trace", "Drain", "Emitter", "Notes"]
    ),
    tests("LifecycleTests", ["Lifecycle", "Trace"]),
    tests("RulesTests", ["Rules", "Interop", "Lifecycle", "Trace"]),
    tests(
      "RecorderTests",
      [
        "Recorder", "TraceFile", "Trace", "Lifecycle", "CLifetrace", "CSystem", "Emitter",
        "LifetraceCommand",
      ]
    ),
    tests(
      "HostTests",
      [
        "Host", "HostWire", "CompactJSON", "Recorder", "TraceFile", "Trace", "Rules", "Lifecycle",
        "CSystem",
        "LifetraceTesting", "ProbeCore", "Probe", "NotesCore", "Notes", "WireApp",
        "LifetraceCommand",
      ],
      resources: [.copy("Fixtures")]
    ),
    tests(
      "LifetraceTestingTests",
      [
        "LifetraceTesting", "NotesCore", "ProbeCore", "LifetraceApp", "Host", "Trace", "TraceFile",
        "Rules", "Lifecycle", "Interop", "LifetraceCommand", "BothSidesHere", "BothSidesThere",
      ],
      resources: [.copy("Scenarios")]
    ),
    tests("LifetraceXCTestTests", ["LifetraceXCTest", "NotesCore", "LifetraceCommand"]),
    tests("TimelineTests", ["Timeline", "Lifecycle", "Trace"]),
    tests("ReplayTests", ["Replay", "Timeline", "Lifecycle", "Trace"]),
    tests("InteropTests", ["Interop", "Replay", "Rules", "Lifecycle", "TraceFile", "Trace"]),
    tests(
      "ConsoleTests",
      ["Console", "CompactJSON", "Interop", "Replay", "Timeline", "Lifecycle", "Trace"]
    ),
    tests("CommandTests", ["CompactJSON", "CSystem", "TraceFile", "Fuzzing", "LifetraceCommand"]),
  ]
)
