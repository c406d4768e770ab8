import VitrineGraphics
import VitrineTesting
import VitrineWidgets

extension TestWindow {
  /// Adds a view of 40 by 40 points that shows an image.
  func addView(_ image: Image?, x: Double = 0) -> ImageView {
    let view = ImageView(frame: Rect(x: x, y: 0, width: 40, height: 40))
    view.image = image
    window.addSubview(view)
    return view
  }

  /// The red values of the drawn images, back to front.
  var drawn: [UInt8] { images.map { $0.image.bitmap.color(x: 0, y: 0).red } }
}

extension Image {
  /// Returns an image of frames with the red values 0, 1, 2, …, which are shown for 0.1 s each.
  static func animated(frameCount: Int = 5, loopCount: Int = 0) -> Image {
    let frames = (0..<frameCount).map { number in
      Image.Frame(bitmap: .frame(number), duration: 0.1)
    }
    return Image(frames: frames, loopCount: loopCount)
  }

  /// Returns an image with a single white frame.
  static var white: Image { Image(Bitmap(width: 4, height: 4, color: .white)) }
}

extension Bitmap {
  /// Returns the frame with a number of `Image.animated(frameCount:loopCount:)`.
  static func frame(_ number: Int) -> Bitmap {
    Bitmap(width: 4, height: 4, color: Color(red: UInt8(number), green: 0, blue: 0))
  }
}
