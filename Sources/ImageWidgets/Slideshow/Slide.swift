import FoundationEssentials
public import VitrineLoading

/// An image of a slideshow: its request and its title.
///
/// A slide without a title has the title in its image, if there is one (`SlideshowView.shownTitle`). Two slides with the same URL count as the same slide when the slides of a slideshow are replaced.
public nonisolated struct Slide: Sendable {
  /// The title, for a caption and for assistive technology; `nil` without one.
  public var title: String?
  /// True if the title is only the name of a file, so that a title in the image says more; false by default.
  public var isTitleFileName = false
  /// The frequency of the slide relative to the others, for `SlideOrder.weighted(seed:)`; 1 by default. Negative
  /// numbers, NaN and infinity count as 0: the slide is not shown.
  public var weight: Double
  /// The request of the image, or the error of a source that has none.
  let request: Result<ImageRequest, ImageError>
  /// The URL of the image.
  package let url: String

  /// Creates a slide.
  ///
  /// - Parameters:
  ///   - source: A `URL`, a `String` or an `ImageRequest`. A source that is not a URL counts as a failed image. The size
  ///     and the previews of a request are ignored, and an animated image shows its first frame.
  ///   - title: The title; `nil`, the default, for none.
  ///   - weight: The relative frequency in a weighted order; 1 by default.
  public init(_ source: some ImageRequestConvertible, title: String? = nil, weight: Double = 1) {
    self.title = title
    self.weight = weight
    request = Result { () throws(ImageError) in try source.asImageRequest() }
    url = (try? request.get())?.url.absoluteString ?? source as? String ?? ""
  }
}

/// The slides of a slideshow, in order. Slides are created when they are read, so that a list of 10,000 slides takes
/// no memory of its own.
public nonisolated struct Slides: RandomAccessCollection, Sendable {
  private let slide: @Sendable (Int) -> Slide
  private let address: @Sendable (Int) -> String
  /// The number of slides.
  public let endIndex: Int
  /// 0.
  public var startIndex: Int { 0 }

  /// Creates slides that `slide` returns when they are read.
  public init(count: Int, slide: @escaping @Sendable (Int) -> Slide) {
    endIndex = Swift.max(0, count)
    self.slide = slide
    address = { slide($0).url }
  }

  /// Creates slides from an array.
  public init(_ slides: [Slide]) { self.init(count: slides.count) { slides[$0] } }

  /// Creates slides with the URLs and the titles of a feed's items.
  public init(_ items: Feed.Items) {
    endIndex = items.count
    slide = { index in
      let item = items[index]
      var slide = Slide(item.url, title: item.title.isEmpty ? nil : item.title)
      slide.isTitleFileName = item.isTitleFileName
      return slide
    }
    address = { items[$0].url }
  }

  /// Returns the slide at an index.
  public subscript(index: Int) -> Slide { slide(index) }

  /// The URLs of the slides, which are read without creating requests.
  var urls: URLs { URLs(endIndex: endIndex, address: address) }

  struct URLs: RandomAccessCollection {
    let endIndex: Int
    fileprivate let address: @Sendable (Int) -> String
    var startIndex: Int { 0 }
    subscript(index: Int) -> String { address(index) }
  }
}
