// swift-tools-version: 6.2
import PackageDescription

/// Strict Swift 6 everywhere; imports are internal unless a type shows in the public API.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// Modules that live on the main actor: widgets and the code that drives them.
let mainActor: [SwiftSetting] = strict + [.defaultIsolation(MainActor.self)]

/// Modules that decode and draw. Without optimization, tests take most of their time in them, so `run.sh` optimizes them
/// in debug builds too. Off by default, because a package with unsafe flags cannot be used by others. Objects built with
/// and without it do not link: remove `.build/debug` after a change.
let hot: [SwiftSetting] =
  Context.environment["VITRINE_OPTIMIZE_DEBUG"] == nil
  ? strict
  : strict + [
    .unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2"], .when(configuration: .debug))
  ]

/// A module of the library: the folder has the short name, the target carries the prefix, because
/// target names must be unique in a user's whole package graph.
func module(
  _ name: String, _ dependencies: [String], exclude: [String] = [], settings: [SwiftSetting] = strict
) -> Target {
  .target(
    name: name.hasPrefix("Vitrine") ? name : "Vitrine\(name)",
    dependencies: dependencies.map { .init(stringLiteral: $0) },
    path: "Sources/\(name)",
    exclude: exclude,
    swiftSettings: settings)
}

func tests(
  _ name: String, _ dependencies: [String], exclude: [String] = [], settings: [SwiftSetting] = strict
) -> Target {
  .testTarget(
    name: "\(name)Tests",
    dependencies: dependencies.map { .init(stringLiteral: $0) },
    path: "Tests/\(name)Tests",
    exclude: exclude,
    swiftSettings: settings)
}

let package = Package(
  name: "Vitrine",
  products: [
    .library(name: "Vitrine", targets: ["Vitrine"]),
    .library(name: "VitrineTesting", targets: ["VitrineTesting"]),
    .executable(name: "vitrine", targets: ["VitrineDemo"]),
    .executable(name: "vitrine-bench", targets: ["VitrineBenchmarks"]),
  ],
  targets: [
    // The doors to C.
    .systemLibrary(name: "CCurl", path: "Sources/CCurl"),
    .systemLibrary(name: "CSDL", path: "Sources/CSDL"),
    .systemLibrary(name: "CCodecs", path: "Sources/CCodecs"),
    .systemLibrary(name: "CHashing", path: "Sources/CHashing"),
    .systemLibrary(name: "CTimers", path: "Sources/CTimers"),

    // The library, from the leaves up.
    module("Concurrency", [], exclude: ["README.md"]),
    module("Graphics", ["VitrineConcurrency"], settings: hot),
    // Plays animated images: which frame is shown when, and which frames are decoded.
    module("Animation", ["VitrineConcurrency", "VitrineGraphics"]),
    module("Loading", ["VitrineConcurrency", "VitrineGraphics"]),
    module("DiskCache", ["VitrineConcurrency", "VitrineGraphics", "VitrineLoading", "CHashing"]),
    module("CurlTransport", ["VitrineConcurrency", "VitrineGraphics", "VitrineLoading", "CCurl"]),
    module("Codecs", ["VitrineGraphics", "VitrineLoading", "CCodecs", "CSDL"], settings: hot),
    module(
      "Widgets", ["VitrineAnimation", "VitrineConcurrency", "VitrineGraphics"], settings: mainActor),
    module(
      "ImageWidgets", ["VitrineConcurrency", "VitrineGraphics", "VitrineLoading", "VitrineWidgets"],
      settings: mainActor),
    module(
      "SDLBackend", ["VitrineAnimation", "VitrineConcurrency", "VitrineGraphics", "VitrineWidgets", "CSDL"],
      settings: hot),
    module("Platform", ["VitrineConcurrency", "VitrineGraphics", "CTimers"]),
    // Writes the trace of Graphics as JSON, which needs Foundation.
    module("Tracing", ["VitrineGraphics"]),
    module(
      "Vitrine",
      [
        "VitrineAnimation", "VitrineConcurrency", "VitrineGraphics", "VitrineLoading", "VitrineDiskCache",
        "VitrineCurlTransport", "VitrineCodecs", "VitrineWidgets", "VitrineImageWidgets",
        "VitrineSDLBackend", "VitrinePlatform", "VitrineTracing",
      ],
      settings: mainActor),
    module(
      "VitrineTesting",
      [
        "VitrineConcurrency", "VitrineGraphics", "VitrineLoading", "VitrineCodecs", "VitrineWidgets",
        "VitrineSDLBackend",
      ]),

    // The loopback server of demo, tests and benchmarks, and the program itself.
    module("GalleryServer", ["VitrineConcurrency", "VitrineGraphics"]),
    // The heap's settings, which belong to programs: of the demo and of the benchmarks.
    .target(name: "HeapLimits", path: "Sources/Demo/HeapLimits"),
    .executableTarget(
      name: "VitrineDemo",
      dependencies: ["Vitrine", "VitrineGalleryServer", "HeapLimits"],
      path: "Sources/Demo",
      exclude: ["HeapLimits"],
      swiftSettings: mainActor),
    // Counts the allocations of the heap, in the benchmarks only.
    .target(name: "CAllocations", path: "Sources/Benchmarks/Shared/CAllocations"),
    // Foundation's cache, in a process of its own.
    .executableTarget(
      name: "FoundationCache", path: "Sources/Benchmarks/MemoryHit/FoundationCache", swiftSettings: strict),
    .executableTarget(
      name: "VitrineBenchmarks",
      dependencies: [
        "Vitrine", "VitrineAnimation", "VitrineConcurrency", "VitrineGalleryServer", "CCodecs",
        "CSDL", "CAllocations", "FoundationCache", "HeapLimits",
      ],
      path: "Sources/Benchmarks",
      exclude: ["RESULTS.md", "ratios.tsv", "Shared/CAllocations", "MemoryHit/FoundationCache"],
      swiftSettings: strict),

    // Lets tests wait for the call of a function.
    .target(
      name: "Callbacks", dependencies: ["VitrineTesting"], path: "Tests/Callbacks", swiftSettings: strict),
    // Lets tests count the open file descriptors of the process.
    .target(
      name: "OpenDescriptors", dependencies: [], path: "Tests/OpenDescriptors", swiftSettings: strict),
    tests(
      "Concurrency",
      ["VitrineConcurrency", "VitrineGraphics", "VitrineLoading", "VitrineTesting", "Callbacks"]),
    tests("Graphics", ["VitrineGraphics"]),
    tests(
      "Animation",
      [
        "VitrineAnimation", "VitrineCodecs", "VitrineConcurrency", "VitrineGraphics", "VitrineLoading",
        "VitrineTesting",
      ]),
    tests(
      "Loading",
      ["VitrineConcurrency", "VitrineLoading", "VitrineTesting", "Callbacks", "OpenDescriptors"]),
    tests(
      "DiskCache",
      [
        "VitrineConcurrency", "VitrineDiskCache", "VitrineGraphics", "VitrineLoading", "VitrineTesting",
        "Callbacks", "DiskProbe",
      ]),
    // Writes to a disk cache until it is killed, or has a disk that does not respond.
    .executableTarget(
      name: "DiskProbe",
      dependencies: ["VitrineDiskCache", "VitrineGraphics", "VitrineLoading", "VitrineTesting"],
      path: "Tests/DiskProbe", swiftSettings: strict),
    tests("GalleryServer", ["VitrineGalleryServer", "OpenDescriptors"]),
    tests(
      "CurlTransport",
      ["VitrineConcurrency", "VitrineCurlTransport", "VitrineGalleryServer", "VitrineTesting"]),
    tests(
      "Codecs",
      [
        "VitrineCodecs", "VitrineGraphics", "VitrineLoading", "VitrineTesting", "CCodecs", "CorpusProbe",
        "JPEGOracle",
      ]),
    // Reads coefficients with libjpeg.
    .systemLibrary(name: "JPEGOracle", path: "Tests/JPEGOracle"),
    // Decodes a file in a process of its own, which may crash.
    .executableTarget(
      name: "CorpusProbe", dependencies: ["VitrineCodecs", "VitrineGraphics", "VitrineLoading"],
      path: "Tests/CorpusProbe", swiftSettings: strict),
    tests("Widgets", ["VitrineWidgets", "VitrineTesting"], settings: mainActor),
    tests(
      "ImageWidgets",
      [
        "VitrineGraphics", "VitrineLoading", "VitrineDiskCache", "VitrineWidgets", "VitrineImageWidgets",
        "VitrineTesting",
      ],
      settings: mainActor),
    // Lets tests of several targets open a host one after another.
    .target(
      name: "ScreenTurns", dependencies: ["VitrineTesting"], path: "Tests/ScreenTurns", swiftSettings: strict),
    tests(
      "SDLBackend",
      [
        "VitrineAnimation", "VitrineSDLBackend", "VitrineTesting", "Callbacks", "ScreenTurns", "CSDL",
        "SDLBackendProbe",
      ],
      settings: mainActor),
    // Runs the loop on a process's first thread; tests run on other threads.
    .executableTarget(
      name: "SDLBackendProbe", dependencies: ["VitrineCodecs", "VitrineSDLBackend"],
      path: "Tests/SDLBackendProbe",
      swiftSettings: mainActor),
    tests(
      "Platform",
      ["VitrineConcurrency", "VitrinePlatform", "VitrineGraphics", "VitrineLoading", "VitrineTesting"]),
    tests("Tracing", ["VitrineTracing", "VitrineGraphics"]),
    // Without a default isolation, as in most programs, so that the code of the documentation compiles there.
    tests(
      "Vitrine", ["Vitrine", "VitrineGalleryServer", "VitrineTesting", "Callbacks", "AsyncMainProbe"],
      exclude: ["Articles/Recorded"]),
    // A program that leaves the first thread.
    .executableTarget(
      name: "AsyncMainProbe", dependencies: ["Vitrine"], path: "Tests/AsyncMainProbe",
      swiftSettings: mainActor),
    tests(
      "Demo",
      [
        "VitrineDemo", "Vitrine", "VitrineCodecs", "VitrineGraphics", "VitrineSDLBackend", "VitrineWidgets",
        "VitrineGalleryServer", "VitrineTesting", "DemoRuns",
      ]),
    // Runs the demo as a process, for tests of the whole program.
    .target(name: "DemoRuns", dependencies: [], path: "Tests/DemoRuns", swiftSettings: strict),
    // Compares what is drawn with recorded images.
    .testTarget(
      name: "GoldenTests",
      dependencies: [
        "VitrineGraphics", "VitrineLoading", "VitrineWidgets", "VitrineImageWidgets", "VitrineCodecs",
        "VitrineSDLBackend", "VitrineTesting", "Vitrine", "VitrineDemo", "DemoRuns", "ScreenTurns",
      ],
      path: "Tests/GoldenTests", exclude: ["Expected", "README.md"], swiftSettings: mainActor),
  ]
)

// `./run.sh fuzz` builds a program of libFuzzer and all code that parses foreign bytes. The demo is a library there,
// without `main`.
if Context.environment["VITRINE_FUZZ"] != nil {
  package.products = []
  package.targets = package.targets.map { target in
    guard target.name == "VitrineDemo" else { return target }
    return .target(
      name: target.name, dependencies: target.dependencies, path: target.path,
      exclude: target.exclude + ["Program.swift"], swiftSettings: target.swiftSettings)
  }
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "CFuzzer", "VitrineAnimation", "VitrineDemo", "VitrineCodecs", "VitrineConcurrency",
        "VitrineCurlTransport", "VitrineDiskCache", "VitrineGraphics", "VitrineLoading", "CCodecs",
        "JPEGOracle",
      ],
      path: "Tests/Fuzz", exclude: ["CFuzzer", "Dictionaries", "Seeds"], swiftSettings: strict),
  ]
}
