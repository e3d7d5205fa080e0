// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A package of its own: who builds lifetrace, or an app that traces nothing, compiles none of this.

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let lifetrace: Target.Dependency = .product(name: "Lifetrace", package: "lifetrace")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
  name: "lifetrace-tracing",
  products: [.library(name: "LifetraceTracing", targets: ["LifetraceTracing"])],
  dependencies: [
    .package(name: "lifetrace", path: "../.."),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
  ],
  targets: [
    .target(
      name: "LifetraceTracing",
      dependencies: [lifetrace, tracing, logging],
      swiftSettings: strict
    ),
    // What the tests record.
    .executableTarget(
      name: "TracingProbe",
      dependencies: ["LifetraceTracing", lifetrace, tracing, logging],
      path: "Tests/Probe",
      swiftSettings: strict
    ),
    .testTarget(
      name: "LifetraceTracingTests",
      dependencies: ["LifetraceTracing", "TracingProbe", lifetrace, tracing],
      swiftSettings: strict
    ),
  ]
)
