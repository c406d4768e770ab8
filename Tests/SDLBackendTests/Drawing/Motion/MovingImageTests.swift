import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

/// Bilinear sampling of images that move.
struct MovingImageTests {
  private let gradient = Bitmap.drawn(width: 16, height: 8) { x, y in
    Color(red: UInt8(x * 16), green: UInt8(y * 32), blue: UInt8((x * y) % 256), alpha: 255)
  }

  private func rows(
    _ bitmap: Bitmap, _ source: Rect, _ rect: PixelRect, visible: PixelRect? = nil,
    format: PixelFormat = .bgra
  ) -> [Int: [UInt32]] {
    var rows: [Int: [UInt32]] = [:]
    MovingImage(bitmap: bitmap, source: source, rect: rect, corners: CornerMask(radius: 0))
      .withRows(of: visible ?? rect, format: format) { row, y in rows[y] = Array(row) }
    return rows
  }

  @Test func partOfNaturalSizeIsCopied() {
    let rows = rows(
      gradient, Rect(x: 3, y: 2, width: 9, height: 5), PixelRect(left: 10, top: 20, right: 19, bottom: 25))
    #expect(rows.count == 5)
    for y in 0..<5 {
      for x in 0..<9 { #expect(rows[20 + y]?[x] == gradient.color(x: x + 3, y: y + 2).pixel) }
    }
  }

  /// Compares with bilinear sampling in floating point.
  @Test(arguments: [(0.0, 1.0), (0.25, 1.0), (0.5, 0.5), (2.7, 0.31), (1.1, 1.7)])
  func samplesAreWithinTwoLevelsOfTheExactMean(start: Double, step: Double) {
    let rect = PixelRect(width: 7, height: 5)
    let source = Rect(x: start, y: start / 2, width: 7 * step, height: 5 * step * 0.6)
    let rows = rows(gradient, source, rect)
    func exact(_ channel: (Color) -> UInt8, _ x: Double, _ y: Double) -> Double {
      let (x, y) = (min(15, max(0, x)), min(7, max(0, y)))
      let (left, top) = (Int(x), Int(y))
      let (right, bottom) = (min(15, left + 1), min(7, top + 1))
      let (fx, fy) = (x - Double(left), y - Double(top))
      func value(_ x: Int, _ y: Int) -> Double { Double(channel(gradient.color(x: x, y: y))) }
      let upper = value(left, top) * (1 - fx) + value(right, top) * fx
      let lower = value(left, bottom) * (1 - fx) + value(right, bottom) * fx
      return upper * (1 - fy) + lower * fy
    }
    for y in 0..<5 {
      for x in 0..<7 {
        let sampleX = source.minX + (Double(x) + 0.5) * source.width / 7 - 0.5
        let sampleY = source.minY + (Double(y) + 0.5) * source.height / 5 - 0.5
        guard let pixel = rows[y]?[x] else {
          Issue.record("a row is missing")
          continue
        }
        let red = Double(pixel >> 16 & 0xFF)
        let green = Double(pixel >> 8 & 0xFF)
        #expect(abs(red - exact(\.red, sampleX, sampleY)) <= 2)
        #expect(abs(green - exact(\.green, sampleX, sampleY)) <= 2)
        #expect(pixel >> 24 == 255)
      }
    }
  }

  @Test func visiblePartHasThePixelsOfTheWhole() {
    let rect = PixelRect(left: -5, top: -3, right: 40, bottom: 22)
    let source = Rect(x: 0.3, y: 0.7, width: 15.5, height: 7)
    let whole = rows(gradient, source, rect)
    let visible = PixelRect(left: 2, top: 1, right: 33, bottom: 9)
    let part = rows(gradient, source, rect, visible: visible)
    #expect(part.count == 8)
    for (y, row) in part { #expect(row == Array((whole[y] ?? [])[7..<38])) }
  }

  @Test func lastColumnAndRowAreNotExceeded() {
    let bitmap = Bitmap.drawn(width: 1, height: 1) { _, _ in .pureRed }
    let rows = rows(bitmap, Rect(x: 0, y: 0, width: 1, height: 1), PixelRect(width: 13, height: 3))
    #expect(rows.values.allSatisfy { $0.allSatisfy { $0 == Color.pureRed.pixel } })
    let edge = self.rows(gradient, Rect(x: 15, y: 7, width: 1, height: 1), PixelRect(width: 5, height: 5))
    #expect(edge[4]?[4] == gradient.color(x: 15, y: 7).pixel)
  }

  @Test func otherByteOrderIsConverted() {
    let bitmap = Bitmap.drawn(width: 4, height: 4, format: .rgba) { _, _ in .pureRed }
    let rows = rows(bitmap, Rect(x: 0, y: 0, width: 4, height: 4), PixelRect(width: 6, height: 6))
    #expect(rows[3]?[3] == Color.pureRed.pixel)
  }
}

extension SDLTests {
  struct MovingImageDrawingTests {
    @Test func movingImageIsDrawnWithoutATexture() throws {
      let test = try TestHost()
      let image = Image(width: 80, height: 60) { x, _ in Color(red: UInt8(x * 3), green: 0, blue: 0) }
      for step in 0..<3 {
        test.draw {
          $0.draw(
            DrawList.ImageCommand(
              image: image, source: Rect(x: Double(step) / 4, y: 0, width: 40, height: 30),
              destination: Rect(x: 0, y: 0, width: 40, height: 30), isMoving: true))
        }
        test.frame()
        #expect(test.host.textureBytes == 0)
        #expect(!test.window.isDirty)
        let exact = (20 + Double(step) / 4) * 3
        #expect(abs(Double(test.pixel(20, 15).red) - exact) <= 1.5, "quarters of a pixel can be seen")
      }
    }
  }
}
