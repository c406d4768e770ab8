import Foundation
import Testing
import Vitrine
import VitrineTesting

/// Damaged files of decoded pixels: the image is then decoded from its stored response, without the network.
@MainActor @Suite(.timeLimit(.minutes(5))) struct PixelFaultTests {
  private typealias World = PixelCacheWorld
  private let world = World()

  enum Fault: CaseIterable {
    case flippedPixels, truncatedPack, emptyPack, missingPack, reversedPack
    case flippedIndex, truncatedIndex, erasedIndex, foreignVersion, fileInPlaceOfTheFolder
  }

  private var packs: URL { URL(filePath: world.folder + "/p1/packs") }

  /// Returns the files of pixels, without the index.
  private func packFiles() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: packs, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent != "index" }.sorted { $0.path < $1.path }
  }

  /// Changes the bytes of a file in place.
  private func change(_ file: URL, _ change: (inout Data) -> Void) throws {
    var data = try Data(contentsOf: file)
    change(&data)
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: data)
    try handle.close()
  }

  private func cause(_ fault: Fault) throws {
    let files = try packFiles()
    let pack = try #require(files.first)
    let index = packs.appending(path: "index")
    switch fault {
    case .flippedPixels: try change(pack) { $0[$0.count - 100] ^= 0x10 }
    case .truncatedPack: try change(pack) { $0.removeLast($0.count / 2) }
    case .emptyPack: try change(pack) { $0 = Data() }
    case .missingPack: try FileManager.default.removeItem(at: pack)
    case .reversedPack:
      try change(pack) { data in data.replaceSubrange(data.indices, with: data.reversed()) }
    case .flippedIndex:
      try change(index) { data in
        for position in data.indices where data[position] != 0 { data[position] ^= 1 }
      }
    case .truncatedIndex: try change(index) { $0.removeLast($0.count / 2) }
    case .erasedIndex: try change(index) { $0 = Data(count: $0.count) }
    case .foreignVersion: try change(pack) { $0[0] &+= 1 }
    case .fileInPlaceOfTheFolder:
      try FileManager.default.removeItem(at: packs)
      try Data("x".utf8).write(to: packs)
    }
  }

  @Test(arguments: Fault.allCases) func imageIsShownDespiteDamagedPixels(fault: Fault) async throws {
    let request = try World.request(width: 40, height: 30)
    let stored = try await world.start(sending: World.photo()).load(request)
    #expect(try await world.start(sending: []).load(request).isFromPixelCache)

    try cause(fault)

    for _ in 0..<2 {
      let program = world.start(sending: [])
      let response = try await program.load(request)
      #expect(response.source == .disk && program.transport.transfers.isEmpty)
      #expect(response.image.pixelBytes == stored.image.pixelBytes)
    }
  }

  @Test("pixels of one format or size are not those of another", arguments: [PixelFormat.bgra, .rgba])
  func pixelsOfAnotherFormatAreNotFound(format: PixelFormat) async throws {
    let request = try World.request(width: 40, height: 30)
    _ = try await world.start(sending: World.photo(), pixelFormat: format).load(request)

    let other: PixelFormat = format == .bgra ? .rgba : .bgra
    let found = try await world.start(sending: [], pixelFormat: other).load(request)
    #expect(!found.isFromPixelCache && found.image.bitmap.format == other)
    let larger = try await world.start(sending: [], pixelFormat: format)
      .load(World.request(width: 80, height: 60))
    #expect(!larger.isFromPixelCache && larger.image.pixelWidth == 80)
    let again = try await world.start(sending: [], pixelFormat: format).load(request)
    #expect(again.isFromPixelCache && again.image.bitmap.format == format)
  }
}
