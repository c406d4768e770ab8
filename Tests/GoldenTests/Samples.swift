import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// Images computed without files or decoders.
enum Samples {
  /// Four quarters of different colors with a gradient and a border, which reveal clipping, rotation and stretching.
  nonisolated static func quarters(width: Int, height: Int) -> Image {
    Image(
      Bitmap(width: width, height: height) { x, y in
        if x == 0 || y == 0 || x == width - 1 || y == height - 1 { return .white }
        let slope = UInt8(min(100, 100 * x / width))
        switch (x < width / 2, y < height / 2) {
        case (true, true): return Color(red: 220, green: 60 + slope, blue: 60)
        case (false, true): return Color(red: 60, green: 100 + slope, blue: 60)
        case (true, false): return Color(red: 50, green: 80 + slope, blue: 220)
        case (false, false): return Color(red: 230, green: 100 + slope, blue: 40)
        }
      })
  }

  /// A checkered image with a border. In the left half each pixel alternates, so that any resampling makes it gray.
  nonisolated static func checks(width: Int, height: Int, scale: Double, alpha: UInt8 = 255) -> Image {
    Image(
      Bitmap(width: width, height: height) { x, y in
        if x == 0 || y == 0 || x == width - 1 || y == height - 1 { return .white }
        let isLight = x < width / 2 ? (x + y) % 2 == 0 : (x / 6 + y / 6) % 2 == 0
        return isLight
          ? Color(red: 240, green: UInt8(60 + 2 * x), blue: 60, alpha: alpha)
          : Color(red: 20, green: 60, blue: UInt8(110 + y), alpha: alpha)
      }, scale: scale)
  }

  /// A disc of one color on a clear background, whose alpha decreases from top to bottom.
  nonisolated static func disc(side: Int, color: Color) -> Image {
    let middle = Double(side) / 2
    return Image(
      Bitmap(width: side, height: side) { x, y in
        let (dx, dy) = (Double(x) + 0.5 - middle, Double(y) + 0.5 - middle)
        let covered = min(1, max(0, middle - (dx * dx + dy * dy).squareRoot()))
        return color.multiplyingAlpha(by: covered * (1 - 0.7 * Double(y) / Double(side)))
      })
  }

  /// One color whose alpha increases from top to bottom.
  nonisolated static func glass(width: Int, height: Int, color: Color) -> Image {
    Image(
      Bitmap(width: width, height: height) { _, y in
        color.multiplyingAlpha(by: Double(y) / Double(height - 1))
      })
  }

  /// A vertical gradient, as a background for a button.
  nonisolated static func slope(width: Int, height: Int, from top: Color, to bottom: Color) -> Image {
    Image(
      Bitmap(width: width, height: height) { _, y in
        func mix(_ a: UInt8, _ b: UInt8) -> UInt8 {
          UInt8(Int(a) + (Int(b) - Int(a)) * y / max(1, height - 1))
        }
        return Color(
          red: mix(top.red, bottom.red), green: mix(top.green, bottom.green),
          blue: mix(top.blue, bottom.blue))
      })
  }

  /// A button with a title, an image and a background image; the selected state has its own title and background.
  static func button() -> Button {
    let button = Button(title: "Play")
    button.cornerRadius = 8
    button.setTitle("Stop", for: .selected)
    button.setTitleColor(Color(hex: 0x8090A0), for: .disabled)
    button.setImage(disc(side: 16, color: Color(hex: 0xFFD040)), for: .normal)
    let backgrounds: [(ControlState, UInt32, UInt32)] = [
      (.normal, 0x3060C0, 0x203060), (.selected, 0xC04030, 0x602018),
    ]
    for (state, top, bottom) in backgrounds {
      let image = slope(width: 84, height: 44, from: Color(hex: top), to: Color(hex: bottom))
      button.setBackgroundImage(image, for: state)
    }
    return button
  }
}
