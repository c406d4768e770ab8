import Synchronization
import VitrineConcurrency
import VitrineGraphics

/// Decodes and transforms the frames of live streams, on the threads and within the memory of the downloader.
struct LiveFrameMaker: Sendable {
  /// A frame that is being made.
  final class Job: Sendable {
    fileprivate let number: UInt64

    fileprivate init(_ number: UInt64) { self.number = number }
  }

  /// The last number of a job; apart from the numbers of loads and of previews, whose jobs run on the same threads.
  private static let lastNumber = Atomic<UInt64>(3 << 62)

  private let imageMaker: ImageMaker
  private let workers: WorkerPool

  init(_ imageMaker: ImageMaker, _ workers: WorkerPool) {
    self.imageMaker = imageMaker
    self.workers = workers
  }

  /// Makes the image of a frame as `request` asks for it.
  ///
  /// - Parameter completion: Called once on a worker thread, unless the job is cancelled before that.
  func make(
    _ body: [UInt8], _ request: ImageRequest,
    completion: @escaping @Sendable (Result<Image, ImageError>) -> Void
  ) -> Job {
    let job = Job(Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue)
    let key = DecodeKey(
      request.identity, target: request.targetSize, limits: request.limits, settings: request.decoding)
    let transforms = request.transforms
    imageMaker.decode(DecodeID(number: job.number), body, key, request.priority) { result, _ in
      guard !transforms.isEmpty, case .success(let image) = result else { return completion(result) }
      imageMaker.transform(
        ProcessedImageID(number: job.number), image, transforms, request.priority
      ) { result, _ in
        completion(result)
      }
    }
    return job
  }

  /// Cancels a job that has not begun, and asks a running one to stop.
  func cancel(_ job: Job) { workers.cancel(job.number) }
}
