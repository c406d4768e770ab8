/// A benchmark: its name on the command line, its line in the help, and its measurement.
///
/// Each subject has a folder of the same name; what several subjects use is in `Shared`.
struct Subject: Equatable {
  let name: String
  let summary: String
  let measure: @Sendable (Options) throws -> [Figure]

  static let all = [
    Subject(
      "first-screen", "200 images over HTTP into tiles, beside libjpeg-turbo alone and Qt Quick",
      FirstScreen.measure),
    Subject(
      "photos",
      "40 photographs of 12 megapixels into tiles, beside libjpeg-turbo, vipsthumbnail and SDL_image",
      Photos.measure),
    Subject(
      "formats", "progressive JPEG, PNG and WebP into tiles of three sizes, beside their libraries alone",
      Formats.measure),
    Subject("memory-hit", "a lookup in the memory cache, beside a dictionary with a lock", MemoryHit.measure),
    Subject("set-image", "setting an image from memory on a slot", SetImage.measure),
    Subject("scroll", "a frame of a scrolling list, beside a memmove of the window", Scroll.measure),
    Subject("fade", "a frame of 50 tiles that change their images at once", Fade.measure),
    Subject(
      "animation",
      "20 animated images on the screen, beside libwebp's own loop; scrolled off; in a small budget",
      Animation.measure),
    Subject(
      "animation-soak", "ten minutes of an accelerated clock with 12 animated images: memory and descriptors",
      AnimationSoak.measure),
    Subject(
      "zoom", "photographs of 24 and of 100 megapixels that are enlarged with two fingers", Zoom.measure),
    Subject(
      "open", "photographs of 12 megapixels that grow from their tiles: to the first frame, and until sharp",
      Open.measure),
    Subject("slideshow", "a frame of a dissolve and of a slow pan in 1920x1080", Slideshow.measure),
    Subject(
      "slideshow-hour", "an hour of an accelerated clock with photographs: memory and descriptors",
      SlideshowHour.measure),
    Subject("animate", "a frame of 50 views that move and fade", Animate.measure),
    Subject("idle", "frames, processor time and wake-ups of a window while nothing changes", Idle.measure),
    Subject("spinners", "50 slots, or one, that wait for their images", Spinners.measure),
    Subject("reuse-storm", "10,000 slot changes per second, for 15 s", ReuseStorm.measure),
    Subject("download", "2,000 objects of 30 KB from nginx, beside curl --parallel", Download.measure),
    Subject(
      "latency", "200 objects with a round-trip time of 50 ms, beside curl --parallel", Latency.measure),
    Subject("storm", "100,000 loads that are cancelled at once", Storm.measure),
    Subject(
      "fling", "a fast scroll of a grid past 2,000 images: bytes loaded for images that were never shown",
      Fling.measure),
    Subject(
      "second-start",
      "the same screens again, from disk, with and without decoded pixels, beside the first start",
      SecondStart.measure),
    Subject(
      "first-start", "200 images over HTTP with a disk cache and decoded pixels, beside neither",
      FirstStart.measure),
    Subject("disk-reopen", "the first lookup in a disk cache with 10,000 responses", DiskReopen.measure),
    Subject(
      "disk", "storing and reading responses and pixels, beside plain files and SQLite",
      DiskComparison.measure),
    Subject(
      "disk-growth", "opening, hits and trims with 1,000, 10,000 and 100,000 entries", DiskGrowth.measure),
    Subject("flash", "what is written to the disk while the same 200 images are shown", Flash.measure),
    Subject("fleet", "500 displays behind nginx: requests that reach the origin", Fleet.measure),
    Subject(
      "fling-memory",
      "four minutes of flinging: memory of the process, beside the memory that the ledger counts",
      FlingMemory.measure),
  ]

  private init(_ name: String, _ summary: String, _ measure: @escaping @Sendable (Options) throws -> [Figure])
  {
    self.name = name
    self.summary = summary
    self.measure = measure
  }

  static func == (left: Self, right: Self) -> Bool { left.name == right.name }
}
