import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Lists of decoders.
struct ImageDecoderListTests {
  /// A decoder of bytes that begin with a letter, which gives images of one size.
  private struct LetterDecoder: ImageDecoding {
    let letter: String
    let width: Int
    var failure: ImageError?
    var name: String?
    var hasPreviews = false
    var need = 0

    var storageIdentifier: String? { name }

    func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
      guard data.starts(with: letter.utf8) else { throw .notAnImage(signature: data) }
      if let failure { throw failure }
      return .solid(width: width, height: 1)
    }

    func memoryNeeded(for data: [UInt8], options: DecodeOptions) -> Int { need }

    func progressiveDecoder(
      _ style: ImageRequest.Progressive, options: DecodeOptions
    ) -> (any ProgressiveImageDecoding)? { hasPreviews ? LetterPreviews(decoder: self) : nil }
  }

  private final class LetterPreviews: ProgressiveImageDecoding {
    let decoder: LetterDecoder
    init(decoder: LetterDecoder) { self.decoder = decoder }

    func image(of data: [UInt8], expectedLength: Int?) throws(ImageError) -> Image? {
      try decoder.decode(data, options: .init())
    }
    var retainedBytes: Int { decoder.need }
  }

  private func width(_ list: ImageDecoderList, _ text: String) -> Int? {
    try? list.decode(Array(text.utf8), options: .init()).pixelWidth
  }

  @Test func decoderThatWasAddedLastIsTriedFirst() {
    var list = ImageDecoderList([LetterDecoder(letter: "a", width: 1), LetterDecoder(letter: "b", width: 2)])
    #expect(width(list, "a") == 1 && width(list, "b") == 2)
    list.add(LetterDecoder(letter: "a", width: 3))
    #expect(width(list, "a") == 3 && width(list, "b") == 2)
  }

  @Test func unknownFormatIsNoImage() {
    let data = Array("some other bytes".utf8)
    for list in [ImageDecoderList([]), ImageDecoderList([LetterDecoder(letter: "a", width: 1)])] {
      #expect(throws: ImageError.notAnImage(signature: data)) { try list.decode(data, options: .init()) }
    }
  }

  @Test func errorOfTheDecoderThatKnowsTheFormatIsTheResult() {
    let error = ImageError.decoding(.gif, message: "damaged")
    let list = ImageDecoderList([
      LetterDecoder(letter: "a", width: 1), LetterDecoder(letter: "a", width: 2, failure: error),
    ])
    #expect(throws: error) { try list.decode(Array("a".utf8), options: .init()) }
  }

  @Test func needIsThatOfTheLargestDecoder() {
    let list = ImageDecoderList([
      LetterDecoder(letter: "a", width: 1, need: 7), LetterDecoder(letter: "b", width: 1, need: 5),
    ])
    #expect(list.memoryNeeded(for: [], options: .init()) == 7)
  }

  @Test func storageIdentifierNamesAllDecoders() {
    func list(_ names: String?...) -> ImageDecoderList {
      ImageDecoderList(names.map { LetterDecoder(letter: "a", width: 1, name: $0) })
    }
    #expect(list().storageIdentifier == nil && list("x", nil).storageIdentifier == nil)
    #expect(list("x", "y").storageIdentifier != list("y", "x").storageIdentifier)
    #expect(list("x", "y").storageIdentifier != list("xy").storageIdentifier)
    #expect(list("x1", "y").storageIdentifier != list("x", "1y").storageIdentifier)
  }

  @Test func previewsComeFromTheFirstDecoderThatKnowsTheFormat() throws {
    let list = ImageDecoderList([
      LetterDecoder(letter: "a", width: 1, hasPreviews: true, need: 5),
      LetterDecoder(letter: "a", width: 9),
      LetterDecoder(letter: "b", width: 2, hasPreviews: true, need: .max),
    ])
    let decoder = try #require(list.progressiveDecoder(.scans, options: .init()))
    #expect(decoder.retainedBytes == .max)
    #expect(try decoder.image(of: Array("a".utf8), expectedLength: nil)?.pixelWidth == 1)
    #expect(decoder.retainedBytes == 5, "the other decoder is left out")
    #expect(throws: ImageError.self) { try decoder.image(of: Array("c".utf8), expectedLength: nil) }
    #expect(throws: ImageError.self) { try decoder.image(of: Array("a".utf8), expectedLength: nil) }
  }
}
