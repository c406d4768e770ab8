import VitrineConcurrency
import VitrineLoading
import VitrineSDLBackend

extension SDLHost {
  /// Lets frames wait for the images that a downloader is about to read from disk as decoded pixels, so that such an
  /// image appears without a placeholder. Without a pixel cache, frames do not wait, because an image that must be
  /// decoded is seldom there in time.
  ///
  /// The images are delivered within the frame, and not in the next turn of the main queue.
  package func waitForImages(of downloader: ImageDownloader) {
    guard downloader.dataCache != nil, downloader.pixelCache != nil else { return frameGate = nil }
    frameGate = { [downloader] limit in
      downloader.waitForStoredImages(upTo: limit)
      MainActorQueue.main.runPosted()
    }
  }
}
