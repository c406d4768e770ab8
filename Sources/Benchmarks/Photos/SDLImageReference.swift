import CSDL

/// A program that shows images with SDL2_image alone: each file is decoded in full and scaled by a blit, on all cores.
enum SDLImageReference {
  /// Returns the elapsed time and the processor time in seconds.
  static func measure(
    _ images: [[UInt8]], width: Int, height: Int
  ) throws(NotMeasurable) -> (seconds: Double, cpu: Double) {
    let jpeg = Int32(IMG_INIT_JPG.rawValue)
    // Loads the decoder before several threads need it.
    guard IMG_Init(jpeg) & jpeg != 0 else { throw NotMeasurable("SDL2_image reads no JPEG here") }
    let start = SystemCounters.time
    let cpu = SystemCounters.processCPU
    onAllCores(count: images.count) { index in draw(images[index], width: width, height: height) }
    return (SystemCounters.time - start, SystemCounters.processCPU - cpu)
  }

  private static func draw(_ image: [UInt8], width: Int, height: Int) {
    let loaded = image.withUnsafeBytes { IMG_Load_RW(SDL_RWFromConstMem($0.baseAddress, Int32($0.count)), 1) }
    guard let loaded else { return }
    defer { SDL_FreeSurface(loaded) }
    let format = UInt32(SDL_PIXELFORMAT_ARGB8888.rawValue)
    guard let tile = SDL_CreateRGBSurfaceWithFormat(0, Int32(width), Int32(height), 32, format) else {
      return
    }
    defer { SDL_FreeSurface(tile) }
    SDL_UpperBlitScaled(loaded, nil, tile, nil)
  }
}
