public import VitrineLoading

extension ImageCodecs {
  /// Returns a decoder for previews of an image that is still arriving; `nil` for the style `.none`.
  ///
  /// With `.scans`, these previews are available:
  /// - JPEG whose Exif has a thumbnail with at least the requested pixels and the image's aspect ratio: the thumbnail,
  ///   as soon as the header has arrived, unless Exif states that the image was changed after it was taken. If the JPEG
  ///   has a single scan, no other previews follow.
  /// - JPEG with several scans, such as progressive JPEG: the last complete scan, refined by the received part of the
  ///   next.
  /// - Interlaced PNG (Adam7): from the first pass on, as blocks.
  /// - Other JPEG and PNG, WebP and GIF: the rows received so far; the rest is transparent.
  /// - Animations: the default image of a PNG, the first frame of a GIF, the first frame of a WebP once it is complete.
  ///   From the second frame on, previews are animated: each has all complete frames, and its `ImageAnimation` is not
  ///   complete.
  ///
  /// With `.blurred`, only progressive JPEG has previews, and interlaced PNG from the first complete pass on. Previews
  /// are blurred with a radius of `32 * (1 / (3 * p + 0.6) - 0.25)` pixels of the full-size image for the received
  /// fraction `p` of its bytes (YYWebImage's rule), or, if the length of the response is unknown, of 32 pixels divided
  /// by the number of scans or passes. The radius is scaled together with the image.
  ///
  /// JPEG with arithmetic coding has no previews. WebP with Exif has none until its EXIF chunk has arrived, usually at
  /// the end of the file, because it may contain an orientation. An orientation after the pixels of a PNG is not
  /// applied to its previews.
  ///
  /// A preview has the size and the orientation of the final image, and the same limits apply. A preview takes at most
  /// one pass over the image; bytes are decompressed once, except for GIF. In addition to the last preview, the decoder
  /// keeps in memory:
  /// - JPEG with several scans: the coefficients, two bytes each.
  /// - Interlaced PNG: all pixels, four bytes each.
  /// - WebP: the frame, at its own size if it is lossless, has alpha or is smaller than the canvas, else at the
  ///   requested size.
  /// - All but GIF, JPEG with several scans and interlaced PNG: the image at the requested size.
  /// - Animations: a copy of the bytes of the complete frames, which all previews share, and the first frame.
  public func progressiveDecoder(
    _ style: ImageRequest.Progressive, options: DecodeOptions
  ) -> (any ProgressiveImageDecoding)? {
    style == .none ? nil : ProgressiveDecoder(style, options: options)
  }
}
