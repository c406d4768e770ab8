import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests {
  struct TextTests {
    private func fonts(scale: Double = 1) throws -> FontLibrary {
      try FontLibrary(fonts: .dejaVu, scale: scale)
    }

    @Test(arguments: ["Vitrine", "AVATAR To Ty", "Größe ½ ß", "日本 \u{10FFFF}", " ", "i"], [9.0, 16, 33])
    func measuredSizeIsTheDrawnSize(text: String, size: Double) throws {
      for weight in [Font.Weight.regular, .bold] {
        let fonts = try fonts()
        let font = Font(size: size, weight: weight)

        let measured = fonts.size(of: text, font: font)
        let mask = try #require(fonts.mask(for: fonts.key(for: text, font)))

        #expect(mask.width == Int(measured.width))
        #expect(mask.height == Int(measured.height))
      }
    }

    @Test func emptyTextHasALineHeightAndNoMask() throws {
      let fonts = try fonts()

      let size = fonts.size(of: "", font: .regular(16))

      #expect(size.width == 0)
      #expect(size.height == fonts.size(of: "x", font: .regular(16)).height)
      #expect(fonts.mask(for: fonts.key(for: "", .regular(16))) == nil)
    }

    @Test func scaleMakesTextSharperNotLarger() throws {
      let one = try fonts().size(of: "Vitrine", font: .regular(16))
      let fonts = try fonts(scale: 2)
      let two = fonts.size(of: "Vitrine", font: .regular(16))

      #expect(abs(one.width - two.width) < 3)
      #expect(fonts.mask(for: fonts.key(for: "Vitrine", .regular(16)))?.width == Int(two.width * 2))
    }

    @Test func veryLongTextIsCutOff() throws {
      let fonts = try fonts()
      let long = String(repeating: "W", count: 1_000_000)

      let mask = try #require(fonts.mask(for: fonts.key(for: long, .regular(300))))

      #expect(mask.width <= FontLibrary.widestMask + 600)
      #expect(fonts.size(of: long, font: .regular(10)).width <= Double(FontLibrary.longestText) * 10)
      let zalgo = "a" + String(repeating: "\u{301}", count: 100_000)
      #expect(fonts.key(for: zalgo, .regular(10)).text.unicodeScalars.count == FontLibrary.longestText)
    }

    @Test func textIsMeasuredAlikeAfterManyTextsAndSizes() throws {
      let fonts = try fonts()

      for index in 0..<10_000 { _ = fonts.size(of: "\(index)", font: .regular(12)) }
      for size in 1...100 { _ = fonts.size(of: "x", font: .regular(Double(size))) }

      let size = fonts.size(of: "Vitrine", font: .regular(12))
      #expect(size == fonts.size(of: "Vitrine", font: .regular(12)))
      #expect(size.width > 20)
    }

    @Test func textIsDrawnInItsColorAndCached() throws {
      let test = try TestHost(width: 100, height: 40)
      test.draw {
        $0.text(
          "WWW", font: .bold(24), color: .pureRed, at: Point(x: 2.4, y: 3), size: Size(width: 90, height: 30))
      }

      test.frame()

      let image = test.host.screenshot()
      let colors = (0..<100).flatMap { x in (0..<40).map { image.color(x: x, y: $0) } }
      #expect(colors.contains(.pureRed))
      #expect(colors.allSatisfy { $0.green == 0 && $0.blue == 0 })
      let bytes = test.host.textureBytes
      #expect(bytes > 0)
      test.view.setNeedsDisplay()
      test.frame()
      #expect(test.host.textureBytes == bytes)
    }

    @Test func missingFontErrorNamesThePackage() {
      let paths = FontPaths(regular: "/nowhere/font.ttf", bold: FontPaths.dejaVu.bold)

      let error = #expect(throws: SDLHostError.self) { try FontLibrary(fonts: paths, scale: 1) }

      #expect(error == .missingFont(path: "/nowhere/font.ttf"))
      #expect(error?.description.contains("fonts-dejavu-core") == true)
    }

    @Test func invalidFontFileIsRefused() {
      let paths = FontPaths(regular: FontPaths.dejaVu.regular, bold: "/etc/passwd")

      let error = #expect(throws: SDLHostError.self) { try FontLibrary(fonts: paths, scale: 1) }

      guard case .font(path: "/etc/passwd", _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }
}
