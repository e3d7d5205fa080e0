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

/// Has debug builds optimise the libraries and keep their assertions, with `LIFETRACE_OPTIMIZED` set.
///
/// Most of the time of the tests goes into the slow code of such builds. For CI alone, as a package that
/// others depend on may give the compiler no such flags.
let optimized: [SwiftSetting] =
  Context.environment["LIFETRACE_OPTIMIZED"] == nil
  ? []
  : [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

/// A Swift target in `folder`, with the settings that all of them share.
///
/// Its name must be no other's in any package that an app depends on: it begins with ours.
func library(
  _ folder: String,
  _ dependencies: [Target.Dependency] = [],
  exclude: [String] = [],
  resources: [Resource]? = nil
) -> Target {
  .target(
    name: folder.hasPrefix("Lifetrace") ? folder : "Lifetrace" + folder,
    dependencies: dependencies,
    path: "Sources/" + folder,
    exclude: exclude,
    resources: resources,
    swiftSettings: strict + optimized
  )
}

/// A test target named after the target it tests.
func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = [])
  -> Target
{
  .testTarget(
    name: name,
    dependencies: dependencies,
    resources: resources,
    swiftSettings: strict
  )
}

let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser",
  package: "swift-argument-parser"
)

/// A part of swift-collections; never the whole.
func collections(_ part: String) -> Target.Dependency {
  .product(name: part, package: "swift-collections")
}

let package = Package(
  name: "lifetrace",
  products: [
    .library(name: "Lifetrace", targets: ["Lifetrace"]),
    .library(name: "LifetraceApp", targets: ["LifetraceApp"]),
    .library(name: "LifetraceTesting", targets: ["LifetraceTesting"]),
    .library(name: "LifetraceXCTest", targets: ["LifetraceXCTest"]),
    .library(
      name: "LifetraceTraceFile",
      targets: [
        "LifetraceTrace", "LifetraceTraceFile", "LifetraceLifecycle", "LifetraceWords",
        "LifetraceRules",
      ]
    ),
    .executable(name: "lifetrace", targets: ["LifetraceCommand"]),
    // What `lifetrace record --observe` puts before programs; it stands beside `lifetrace`.
    .library(name: "LifetraceObserve", type: .dynamic, targets: ["LifetraceObserve"]),
  ],
  traits: [
    // Chunks between machines (`ship`, `collect`, `record --to`): links libnats, which Debian has as a
    // shared library only, so that the static program of a release is built without it.
    .trait(
      name: "NATS",
      description: "Sends chunks to other machines through NATS (libnats-dev, libssl-dev)"
    ),
    // For scripts, of which each builds: the same package for all of them.
    .default(enabledTraits: Context.environment["LIFETRACE_NATS"] == nil ? [] : ["NATS"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    // Its parts, in the tool only: who depends on `Lifetrace` alone compiles none of them.
    .package(url: "https://github.com/apple/swift-collections", from: "1.2.0"),
  ],
  targets: [
    // C libraries of the system, one target each.
    .systemLibrary(
      name: "CLifetraceZstd",
      path: "Sources/CZstd",
      providers: [.apt(["libzstd-dev"])]
    ),
    .systemLibrary(
      name: "CLifetraceReadline",
      path: "Sources/CReadline",
      providers: [.apt(["libreadline-dev"])]
    ),
    .systemLibrary(
      name: "CLifetraceYaml",
      path: "Sources/CYaml",
      providers: [.apt(["libyaml-dev"])]
    ),
    .systemLibrary(
      name: "CLifetraceSqlite",
      path: "Sources/CSqlite",
      providers: [.apt(["libsqlite3-dev"])]
    ),
    .systemLibrary(
      name: "CLifetraceNats",
      path: "Sources/CNats",
      providers: [.apt(["libnats-dev", "libssl-dev"])]
    ),

    // What an app links.
    .target(name: "CLifetrace", cSettings: strictC),
    // Stands before the C library in any program: it exports what it stands before and no more, and
    // brings no Swift runtime along. The driver would link it; an empty one is put in its place.
    .target(
      name: "LifetraceObserve",
      exclude: ["OBSERVE.md", "NoRuntime"],
      cSettings: strictC + [
        .define("LT_OBSERVER"), .headerSearchPath("."), .headerSearchPath("../CLifetrace/include"),
        .unsafeFlags(["-fvisibility=hidden", "-fno-omit-frame-pointer", "-O2"]),
      ],
      linkerSettings: [
        .unsafeFlags([
          "-nostartfiles", "-no-toolchain-stdlib-rpath",
          "-resource-dir", "\(Context.packageDirectory)/Sources/LifetraceObserve/NoRuntime",
        ])
      ]
    ),
    library("Lifetrace", ["CLifetrace"]),
    library(
      "LifetraceApp",
      ["Lifetrace", "CLifetrace", "LifetraceAppProtocol", "LifetraceJSON"],
      exclude: ["APP-CORE.md"]
    ),
    // What the host and an app under test say to each other.
    library("AppProtocol", ["LifetraceJSON"]),
    // JSON without Foundation: the host's lines and what `--json` prints.
    library("JSON"),

    // What happened, how it is kept, what should happen, what went wrong.
    library("Trace"),
    library(
      "TraceFile",
      ["LifetraceTrace", "LifetracePlatform", "CLifetraceZstd", "CLifetracePlatform"],
      exclude: ["FORMAT.md"]
    ),
    library("Lifecycle", ["LifetraceTrace"], exclude: ["LIFECYCLE.md"]),
    // How it is said: sentences are parts until somebody shows them.
    library("Words", ["LifetraceTrace"]),
    // What is asked of events and of the state: a language, compiled.
    library(
      "Query",
      ["LifetraceLifecycle", "LifetraceWords", "LifetraceTrace", collections("HeapModule")],
      exclude: ["QUERY.md"]
    ),
    library(
      "Rules",
      ["LifetraceQuery", "LifetraceLifecycle", "LifetraceWords", "LifetraceTrace"],
      exclude: ["RULES.md"]
    ),

    // Events that are known made into chunks: folded, with keyframes, sealed.
    library("Assembly", ["LifetraceTraceFile", "LifetraceLifecycle", "LifetraceTrace"]),

    // How it arrives.
    .target(name: "CLifetracePlatform", path: "Sources/CPlatform", cSettings: strictC),
    library("Platform"),
    library(
      "Recorder",
      [
        "LifetraceAssembly", "LifetraceTraceFile", "LifetraceTrace", "LifetraceLifecycle",
        "LifetracePlatform", "CLifetrace", "CLifetracePlatform",
        collections("DequeModule"), collections("OrderedCollections"),
      ],
      exclude: ["EVIDENCE.md"]
    ),
    // The system around apps: scenarios, and who plays them in whatever world.
    library(
      "Scenario",
      [
        "LifetraceAppProtocol", "LifetraceJSON", "LifetraceRules", "LifetraceQuery",
        "LifetraceLifecycle", "LifetraceWords", "LifetraceTrace", "LifetracePlatform",
        "CLifetracePlatform",
        "CLifetraceYaml",
      ],
      exclude: [
        "CONFIGURATION.md", "PLAYING.md", "PROTOCOL.md", "STEPS.md", "scenario.schema.json",
      ]
    ),
    // Its world of real processes.
    library(
      "ProcessWorld",
      [
        "LifetraceScenario", "LifetraceAppProtocol", "LifetraceJSON", "LifetraceRecorder",
        "LifetraceLifecycle", "LifetraceTrace", "LifetracePlatform", "CLifetracePlatform",
      ]
    ),
    // Its world of virtual time, and what follows the work of tasks, queues and threads.
    .target(name: "CLifetraceUnseen", path: "Sources/CUnseen", cSettings: strictC),
    library(
      "LifetraceTesting",
      [
        "LifetraceApp", "Lifetrace", "CLifetrace", "CLifetraceUnseen", "CLifetracePlatform",
        "LifetraceScenario", "LifetraceExplore", "LifetraceAppProtocol",
        "LifetraceAssembly", "LifetraceJudging", "LifetraceLifecycle", "LifetracePlatform",
        "LifetraceRules", "LifetraceWords", "LifetraceTimeline", "LifetraceTrace",
        "LifetraceTraceFile",
      ]
    ),
    // The same for XCTest, which brings Foundation.
    library(
      "LifetraceXCTest",
      ["LifetraceTesting", "Lifetrace", "LifetraceApp", "LifetraceRules", "LifetraceScenario"]
    ),

    // Ends at every point of a life: points, acts, coverage, what the next launch finds, reduction.
    library(
      "Explore",
      [
        "LifetraceScenario", "LifetraceAppProtocol", "LifetraceHypotheses", "LifetraceJudging",
        "LifetraceTimeline", "CLifetrace",
        "LifetraceRules", "LifetraceLifecycle", "LifetraceWords", "LifetraceTrace", "LifetraceJSON",
      ],
      exclude: ["EXPLORE.md"]
    ),

    // Clocks of different machines: evidence, bounds, one axis; pure values.
    library("Clocks"),
    // How it is read.
    library(
      "Timeline",
      [
        "LifetraceClocks", "LifetraceTraceFile", "LifetraceTrace", "LifetraceLifecycle",
        collections("HeapModule"),
      ]
    ),
    // One driver that feeds the rules, from files, a timeline or memory.
    library(
      "Judging",
      [
        "LifetraceTimeline", "LifetraceClocks", "LifetraceRules", "LifetraceTraceFile",
        "LifetraceLifecycle", "LifetraceWords", "LifetraceTrace", "LifetraceJSON",
      ]
    ),
    // What would be if one thing were otherwise, as far as a recording decides that.
    library(
      "Hypotheses",
      [
        "LifetraceJudging", "LifetraceTimeline", "LifetraceRules", "LifetraceLifecycle",
        "LifetraceWords", "LifetraceTrace",
      ]
    ),
    library(
      "Replay",
      [
        "LifetraceQuery", "LifetraceJudging", "LifetraceTimeline", "LifetraceRules",
        "LifetraceAssembly", "LifetraceTraceFile",
        "LifetraceLifecycle", "LifetraceWords", "LifetraceTrace", "LifetraceJSON",
        "LifetracePlatform",
      ]
    ),
    // What a picture of a span holds: a pure value, drawn by the prompt and by the page.
    library(
      "Layout",
      [
        "LifetraceReplay", "LifetraceJudging", "LifetraceTimeline", "LifetraceRules",
        "LifetraceLifecycle", "LifetraceTrace",
      ]
    ),
    // What is said of a recording: facts as values, and a file for each form they are written in.
    library(
      "Reports",
      [
        "LifetraceReplay", "LifetraceJudging", "LifetraceClocks", "LifetraceTimeline",
        "LifetraceRules",
        "LifetraceTraceFile", "LifetraceLifecycle", "LifetraceWords", "LifetraceTrace",
        "LifetraceJSON", "LifetracePlatform",
      ]
    ),
    // Two recordings of one program: what differs, aligned by what happens and never by time.
    library(
      "Comparison",
      [
        "LifetraceReplay", "LifetraceReports", "LifetraceJudging", "LifetraceTimeline",
        "LifetraceRules", "LifetraceLifecycle", "LifetraceWords", "LifetraceTrace",
        "LifetraceJSON",
      ]
    ),
    // A recording as one page. Its parts are compiled in: a binary carries no bundle.
    library(
      "Page",
      [
        "LifetraceLayout", "LifetraceReplay", "LifetraceJudging", "LifetraceTimeline",
        "LifetraceRules", "LifetraceLifecycle", "LifetraceWords", "LifetraceTrace",
        "LifetraceJSON",
      ],
      exclude: ["REPORT.md", "Pictures"],
      resources: [.embedInCode("Assets")]
    ),
    // What others send of OpenTelemetry, read within limits.
    library(
      "OTLP",
      [
        "LifetraceInterop", "LifetraceJSON", "LifetraceLifecycle", "LifetracePlatform",
        "LifetraceTrace",
      ]
    ),
    // The same over HTTP, while it is sent. By libevent, which a static program links in a few hundred
    // kilobytes: NIO costs half a minute of each first build, and libmicrohttpd brings GnuTLS along.
    .target(
      name: "CLifetraceEvent",
      path: "Sources/CEvent",
      cSettings: strictC,
      linkerSettings: [.linkedLibrary("event_extra"), .linkedLibrary("event_core")]
    ),
    library("OTLPReceiver", ["CLifetraceEvent", "LifetraceOTLP", "LifetracePlatform"]),
    library(
      "Interop",
      [
        "LifetraceTimeline", "LifetraceRules", "LifetraceAssembly", "LifetraceTraceFile",
        "LifetraceLifecycle", "LifetraceWords", "LifetraceTrace", "LifetraceJSON",
        "LifetracePlatform",
        "CLifetracePlatform",
      ]
    ),
    // Recordings for other programs: one walk over the timeline, a folder a format.
    library(
      "Export",
      [
        "CLifetraceSqlite", "LifetraceInterop", "LifetraceJSON", "LifetraceJudging",
        "LifetraceTimeline", "LifetraceRules", "LifetraceLifecycle",
        "LifetraceWords", "LifetraceTrace",
      ],
      exclude: ["EXPORT.md"]
    ),
    // The logs of real devices.
    library(
      "DeviceLog",
      [
        "LifetraceRules", "LifetraceAssembly", "LifetraceTraceFile", "LifetraceLifecycle",
        "LifetraceScenario", "LifetraceTrace", "LifetraceJSON", "LifetracePlatform",
        "CLifetracePlatform",
      ],
      exclude: ["PATTERNS.md"]
    ),
    library(
      "Debugger",
      [
        "LifetraceQuery", "LifetraceLayout", "LifetraceReplay", "LifetraceReports",
        "LifetraceInterop", "LifetraceHypotheses",
        "LifetraceJudging", "LifetraceRules", "LifetraceTimeline", "LifetraceTraceFile",
        "LifetraceLifecycle",
        "LifetraceScenario", "LifetraceWords", "LifetraceTrace", "LifetraceJSON",
        "LifetracePlatform", "CLifetracePlatform",
        "CLifetraceReadline",
      ],
      exclude: ["REPLAY.md", "SESSIONS.md", "TUTORIAL.md"]
    ),
    // The debugger's session for editors, by the Debug Adapter Protocol.
    library(
      "DebugAdapter",
      [
        "LifetraceDebugger", "LifetraceQuery", "LifetraceReplay", "LifetraceJudging",
        "LifetraceRules", "LifetraceTimeline", "LifetraceLifecycle", "LifetraceWords",
        "LifetraceTrace", "LifetraceJSON", "LifetracePlatform",
      ],
      exclude: ["DAP.md"]
    ),
    // Chunks between machines: who sends what again, who has what; over a link that is handed in.
    library(
      "Transport",
      [
        "LifetraceTraceFile", "LifetraceTrace", "LifetraceJSON", "LifetracePlatform",
      ],
      exclude: ["TRANSPORT.md", "nats-server.conf"]
    ),
    // The link that NATS is; without the trait one that says what is missing.
    library(
      "TransportNATS",
      [
        "LifetraceTransport", "LifetracePlatform",
        .target(name: "CLifetraceNats", condition: .when(traits: ["NATS"])),
      ]
    ),
    // What this machine can do for lifetrace, tried.
    library(
      "Doctor",
      [
        "LifetraceProcessWorld", "LifetraceScenario", "LifetraceRecorder", "LifetraceWords",
        "LifetraceTrace", "LifetraceJSON", "LifetracePlatform", "CLifetracePlatform",
      ],
      exclude: ["SURROUNDINGS.md"]
    ),
    .executableTarget(
      name: "LifetraceCommand",
      dependencies: [
        "LifetraceRecorder", "LifetraceScenario", "LifetraceProcessWorld", "LifetraceDebugger",
        "LifetraceDebugAdapter",
        "LifetraceExplore", "LifetracePlatform", "LifetraceReports", "LifetracePage",
        "LifetraceComparison", "LifetraceJudging", "LifetraceReplay", "LifetraceTimeline",
        "LifetraceInterop", "LifetraceOTLP", "LifetraceOTLPReceiver", "LifetraceQuery",
        "LifetraceExport", "LifetraceDeviceLog", "LifetraceRules", "LifetraceLifecycle",
        "LifetraceTransport", "LifetraceTransportNATS",
        "LifetraceTraceFile", "LifetraceWords", "LifetraceTrace", "LifetraceJSON",
        "CLifetracePlatform",
        "LifetraceDoctor",
        // The sample app, which `lifetrace demo` records.
        "NotesCore", "LifetraceApp",
        argumentParser,
      ],
      exclude: ["CI.md", "EXIT-CODES.md", "github-actions.yml"],
      // Links to the sample app's own files: the demo shows the line that lost the edit.
      resources: [
        .embedInCode("Try/Files/lost-edit.yml"), .embedInCode("Try/Files/Editor.swift.txt"),
      ],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "notes",
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
      dependencies: [
        "LifetraceAssembly", "LifetraceClocks", "LifetraceLifecycle", "LifetraceTrace",
        "LifetracePlatform",
        "CLifetracePlatform",
      ],
      path: "Tests/Support",
      swiftSettings: strict + optimized
    ),
    // What holds for the process of the tests, before its first test.
    .target(name: "CTestProcess", path: "Tests/CTestProcess", cSettings: strictC),
    // A trait for tests that wait: they do not hold the threads on which others compute.
    .target(name: "TestThreads", path: "Tests/TestThreads", swiftSettings: strict),
    // An app that does what scenarios tell it, as a library for the simulator and as a process.
    .target(
      name: "ProbeCore",
      dependencies: ["LifetraceApp", "Lifetrace"],
      path: "Tests/Fixtures/ProbeCore",
      swiftSettings: strict
    ),
    // Apps without a mistake, as a library for the simulator and as a process; one has its core in C.
    .target(
      name: "CorrectAppsInC",
      dependencies: ["CLifetrace"],
      path: "Tests/Fixtures/CorrectApps/InC",
      cSettings: strictC
    ),
    .target(
      name: "CorrectApps",
      dependencies: ["CorrectAppsInC", "LifetraceApp", "Lifetrace"],
      path: "Tests/Fixtures/CorrectApps/Core",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "CorrectApp",
      dependencies: ["CorrectApps", "LifetraceApp"],
      path: "Tests/Fixtures/CorrectApps/App",
      swiftSettings: strict
    ),
    // An app that saves in tasks, on queues and in threads, for both worlds.
    .target(
      name: "ConcurrentCore",
      dependencies: ["LifetraceApp", "Lifetrace"],
      path: "Tests/Fixtures/Concurrent/Core",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "Concurrent",
      dependencies: ["ConcurrentCore", "LifetraceApp"],
      path: "Tests/Fixtures/Concurrent/App",
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
        "Lifetrace", "CLifetrace", "CLifetracePlatform", "Drain", "LifetraceRecorder",
        "LifetraceReplay", "LifetraceQuery", "LifetraceTimeline", "LifetraceInterop",
        "LifetraceDeviceLog", "LifetraceExport", "LifetraceDebugger", "LifetraceAssembly",
        "LifetraceJudging", "LifetraceRules", "LifetraceLifecycle", "LifetraceTraceFile",
        "LifetraceTrace", "LifetraceScenario", "LifetraceProcessWorld", "LifetraceTesting",
        "LifetraceExplore",
        "NotesCore", "ProbeCore",
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
    // An app that takes part in scenarios and knows nothing of the SDK, for `record --observe`.
    .executableTarget(
      name: "Unaware",
      path: "Tests/Fixtures/Unaware",
      cSettings: strictC
    ),
    // An app that edits and saves at random, for what the ledger says to be held against its files.
    .executableTarget(
      name: "Keeper",
      dependencies: ["CLifetrace"],
      path: "Tests/Fixtures/Keeper",
      cSettings: strictC
    ),
    // Two of these talk over TCP, for recordings of several machines.
    .executableTarget(
      name: "Talker",
      dependencies: ["CLifetrace"],
      path: "Tests/Fixtures/Talker",
      cSettings: strictC
    ),
    // One process of a story over several: it does what a text says, line by line.
    .executableTarget(
      name: "Actor",
      dependencies: ["CLifetrace"],
      path: "Tests/Fixtures/Actor",
      exclude: ["stage.sh"],
      cSettings: strictC
    ),
    // Hostile inputs by the million: a library for the tests, and a program that isolates crashes.
    .target(
      name: "Fuzzing",
      dependencies: [
        "LifetraceJSON", "LifetraceDebugger", "LifetraceDebugAdapter", "CLifetracePlatform",
        "CLifetraceZstd", "Drain", "Lifetrace",
        "LifetraceScenario", "LifetraceAppProtocol", "LifetraceInterop", "LifetraceDeviceLog",
        "LifetraceJudging", "LifetraceLifecycle", "LifetraceReports",
        "LifetraceRecorder", "LifetraceReplay", "LifetraceRules", "Support", "LifetraceTimeline",
        "LifetraceTrace", "LifetraceTraceFile",
      ],
      path: "Tests/Fuzzing",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "Fuzz",
      dependencies: ["Fuzzing", "Support", "CLifetracePlatform"],
      path: "Tests/Fuzz",
      swiftSettings: strict
    ),
    tests("FuzzTests", ["Fuzzing", "CTestProcess"]),
    tests("PlatformTests", ["LifetracePlatform", "CLifetracePlatform", "Support", "Unaware"]),
    tests("ClocksTests", ["LifetraceClocks", "Support"]),
    tests("TraceTests", ["LifetraceTrace", "Support"]),
    tests("WordsTests", ["LifetraceWords", "LifetraceTrace"]),
    tests(
      "TraceFileTests",
      [
        "TestThreads",
        "LifetraceTraceFile", "LifetraceTrace", "LifetraceInterop", "LifetracePlatform",
        "CLifetracePlatform", "CLifetraceZstd", "Support",
      ]
    ),
    tests(
      "LifetraceTests",
      [
        "TestThreads",
        "Lifetrace", "CLifetrace", "LifetraceTrace", "LifetracePlatform", "Drain", "Support",
        "Emitter",
        "notes",
      ]
    ),
    tests("LifecycleTests", ["LifetraceLifecycle", "LifetraceTrace", "Support"]),
    tests(
      "RulesTests",
      [
        "LifetraceRules", "LifetraceReports", "LifetraceReplay", "LifetraceJudging",
        "LifetraceTimeline", "LifetraceInterop", "LifetraceScenario",
        "LifetraceLifecycle", "LifetraceWords", "LifetraceTrace", "Support",
      ]
    ),
    tests(
      "JudgingTests",
      [
        "LifetraceAssembly", "LifetraceReports",
        "LifetraceJudging", "LifetraceInterop", "LifetraceTimeline", "LifetraceRules",
        "LifetraceLifecycle", "LifetraceTraceFile", "LifetraceTrace", "Support",
      ]
    ),
    tests(
      "ReportsTests",
      [
        "LifetraceReports", "LifetraceInterop", "LifetraceRules", "LifetraceTimeline",
        "LifetraceTraceFile", "LifetraceTrace", "LifetraceJSON", "Support",
      ]
    ),
    tests(
      "RecorderTests",
      [
        "TestThreads", "CLifetrace",
        "LifetraceReplay", "LifetraceTimeline",
        "LifetraceRecorder", "LifetraceTraceFile", "LifetraceTrace", "LifetraceLifecycle",
        "LifetracePlatform", "CLifetracePlatform", "Support", "Emitter",
        "LifetraceCommand",
      ]
    ),
    tests(
      "ScenarioTests",
      [
        "TestThreads",
        "LifetraceScenario", "LifetraceProcessWorld", "LifetraceAppProtocol", "LifetraceJSON",
        "LifetraceRecorder", "LifetraceTraceFile", "LifetraceTrace",
        "LifetraceRules",
        "LifetraceJudging", "LifetraceTimeline", "LifetraceLifecycle",
        "CLifetracePlatform", "Support",
        "LifetraceTesting", "ProbeCore", "Probe", "NotesCore", "notes", "WireApp",
        "CorrectApps", "CorrectApp", "Keeper", "ConcurrentCore", "Concurrent", "Unaware",
        "LifetraceCommand",
      ],
      resources: [.copy("Fixtures")]
    ),
    tests(
      "LifetraceTestingTests",
      [
        "TestThreads",
        "LifetraceTesting", "Lifetrace", "NotesCore", "ProbeCore", "ConcurrentCore", "LifetraceApp",
        "LifetraceScenario", "Emitter", "LifetraceReports", "LifetraceWords", "LifetraceTrace",
        "LifetraceTraceFile",
        "LifetraceJudging", "LifetraceRules", "LifetraceLifecycle", "LifetraceInterop", "Support",
        "LifetraceCommand",
        "BothSidesHere", "BothSidesThere",
      ],
      resources: [.copy("Scenarios")]
    ),
    tests(
      "ExploreTests",
      [
        "TestThreads",
        "LifetraceExplore", "LifetraceTesting", "LifetraceApp", "Lifetrace", "LifetraceScenario",
        "LifetraceJudging", "LifetraceLifecycle", "LifetracePlatform", "LifetraceTrace",
        "LifetraceWords", "NotesCore", "Support",
      ]
    ),
    tests(
      "HypothesesTests",
      [
        "LifetraceHypotheses", "LifetraceExplore", "LifetraceTesting", "LifetraceApp", "Lifetrace",
        "LifetraceScenario", "LifetraceInterop", "LifetraceJudging", "LifetraceTimeline",
        "LifetraceReplay", "LifetraceRules", "LifetraceLifecycle", "LifetracePlatform",
        "LifetraceWords",
        "LifetraceTrace", "Support",
      ]
    ),
    tests(
      "VerdictTests",
      [
        "LifetraceTesting", "LifetraceApp", "Lifetrace", "LifetraceScenario", "LifetraceRules",
        "LifetraceJudging", "LifetraceTimeline", "LifetraceLifecycle", "LifetraceTrace",
        "LifetracePlatform", "CorrectApps", "Support",
      ]
    ),
    tests(
      "LifetraceXCTestTests",
      ["LifetraceXCTest", "LifetraceTesting", "LifetraceScenario", "NotesCore"]
    ),
    tests(
      "TimelineTests",
      [
        "LifetraceClocks", "LifetraceTimeline", "LifetraceTraceFile", "LifetraceLifecycle",
        "LifetraceTrace", "Support",
      ]
    ),
    tests(
      "TransportTests",
      [
        "TestThreads",
        "LifetraceTransport", "LifetraceTransportNATS", "LifetraceInterop", "LifetraceTraceFile",
        "LifetraceTrace", "LifetraceJSON", "LifetracePlatform", "CLifetracePlatform", "Support",
        "Emitter", "LifetraceCommand",
      ]
    ),
    tests(
      "QueryTests",
      [
        "LifetraceQuery", "LifetraceReplay", "LifetraceTimeline", "LifetraceInterop",
        "LifetraceLifecycle", "LifetraceTrace", "Support",
      ]
    ),
    tests(
      "ReplayTests",
      [
        "LifetraceQuery", "LifetraceReplay", "LifetraceInterop", "LifetraceJudging",
        "LifetraceRules",
        "LifetraceTimeline", "LifetraceLifecycle", "LifetraceWords", "LifetraceTrace", "Support",
      ]
    ),
    tests(
      "LayoutTests",
      [
        "LifetraceLayout", "LifetraceInterop", "LifetraceJudging", "LifetraceReplay",
        "LifetraceTimeline", "LifetraceTrace", "Support",
      ]
    ),
    tests(
      "ComparisonTests",
      [
        "LifetraceComparison", "LifetraceInterop", "LifetraceJSON", "LifetraceJudging",
        "LifetraceTimeline", "LifetraceTrace", "Support",
      ]
    ),
    tests(
      "ReportPageTests",
      [
        "LifetracePage", "LifetraceInterop", "LifetraceJSON", "LifetraceJudging",
        "LifetraceReplay", "LifetraceTimeline", "LifetraceTrace", "Support",
      ]
    ),
    tests(
      "InteropTests",
      [
        "LifetraceInterop", "LifetraceOTLP", "LifetraceOTLPReceiver", "LifetraceReports",
        "LifetraceJudging", "LifetraceJSON",
        "LifetraceRules", "LifetraceTimeline", "LifetraceLifecycle", "LifetraceTraceFile",
        "LifetraceTrace", "Support",
      ]
    ),
    tests(
      "ExportTests",
      [
        "LifetraceExport", "LifetraceInterop", "LifetraceJSON", "LifetraceQuery",
        "LifetraceReplay", "LifetraceJudging",
        "LifetraceRules", "LifetraceTimeline", "LifetraceLifecycle", "LifetraceTraceFile",
        "LifetraceTrace", "Support",
      ]
    ),
    tests(
      "DeviceLogTests",
      [
        "LifetraceDeviceLog", "LifetraceInterop", "LifetraceJudging", "LifetraceRules",
        "LifetraceScenario", "LifetraceTimeline", "LifetraceLifecycle", "LifetraceTraceFile",
        "LifetraceTrace",
        "Support",
      ]
    ),
    tests(
      "DebuggerTests",
      [
        "LifetraceQuery", "LifetraceDebugger", "LifetraceLayout", "LifetraceJSON",
        "LifetraceInterop",
        "LifetraceJudging",
        "LifetraceReports", "LifetraceReplay", "LifetraceRules", "LifetraceTimeline",
        "LifetraceTraceFile", "LifetraceLifecycle",
        "LifetraceWords", "LifetraceTrace", "Support",
      ]
    ),
    tests(
      "DebugAdapterTests",
      [
        "LifetraceDebugAdapter", "LifetraceDebugger", "LifetraceInterop", "LifetraceJSON",
        "LifetraceReplay", "LifetraceTimeline", "Support",
      ]
    ),
    tests(
      "CommandTests",
      [
        "TestThreads",
        "LifetraceJSON", "LifetracePlatform", "LifetraceScenario", "LifetraceReports",
        "LifetraceRules", "LifetraceWords", "LifetraceTimeline", "LifetraceTrace",
        "LifetraceTraceFile", "Fuzzing", "Support", "Talker", "Actor",
        "LifetraceCommand",
      ]
    ),
  ]
)
