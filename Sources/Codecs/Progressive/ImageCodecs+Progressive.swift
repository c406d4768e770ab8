public import VitrineLoading

extension ImageCodecs {
  /// Shows a picture while it comes; nil for `.none`.
  ///
  /// With `.scans`: a progressive JPEG from its first whole scan on, with what has come of the next; an interlaced PNG
  /// (Adam7) from its first pass on, as blocks; of any other JPEG and PNG, of WebP and of GIF the rows so far, the rest
  /// transparent. Of an animated PNG its default image, of a GIF its first frame, of an animated WebP the first frame
  /// once it is whole.
  ///
  /// With `.blurred`: progressive JPEG, and interlaced PNG from its first whole pass on, and no others; what is shown is
  /// blurred the less the more has come (YY-B21): by 32 (1 / (3p + 0.6) - 0.25) pixels of the whole picture for a share p
  /// of its bytes (YY-F36), or where nobody says how long it will be, by 32 pixels divided by the number of scans or
  /// passes. Where the picture is scaled, so is that.
  ///
  /// Not shown in part are JPEG with arithmetic codes, and WebP with Exif, which tells at its end how the picture is
  /// to be turned. An orientation behind the pixels of a PNG is not applied to its parts.
  ///
  /// A part has the size, orientation and limits of the whole picture (SD-M11). Making one takes a pass over the
  /// picture at most; bytes are unpacked once, but for those of a GIF. The decoder holds, beside the last picture: of a
  /// JPEG in scans its coefficients, two bytes each; of an interlaced PNG all pixels, four bytes each; of WebP the
  /// frame at its size if it is lossless, has alpha or is smaller than the picture, else at the size asked for; of all
  /// but GIF, JPEG in scans and interlaced PNG the picture at the size asked for.
  public func progressiveDecoder(
    _ style: ImageRequest.Progressive, options: DecodeOptions
  ) -> (any ProgressiveImageDecoding)? {
    style == .none ? nil : ProgressiveDecoder(style, options: options)
  }
}
