import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The previews of several decodes and styles.
struct PreviewPlanTests {
  private let decoder: ReservedDecoder
  private var tree = StageTree()
  private let place: StagePlace

  /// One caller waits for an image and wants scans. The transfer is running.
  init() throws {
    decoder = ReservedDecoder(
      decoder: try #require(FakeDecoder(showsPreviews: true).progressiveDecoder(.scans, options: .init())),
      reservation: MemoryReservation(100, in: MemoryLedger(), as: .decoding))
    place = tree.join(Caller(Self.request(.scans)), fetch: nil)
    tree.setPhase(.running, of: place.fetch)
  }

  private static func request(_ style: ImageRequest.Progressive) -> ImageRequest {
    var request = LoadingTests.request()
    request.progressive = style
    return request
  }

  private func beginning(_ count: Int, body: UInt64 = 1) -> PreviewSchedule.Beginning {
    .init(body: body, count: count, expected: 100_000)
  }

  /// Begins the previews that are due.
  private func begin(
    _ plan: inout PreviewPlan, _ beginning: PreviewSchedule.Beginning, in tree: StageTree? = nil
  ) -> [PreviewJob] {
    plan.begin(of: place.fetch, beginning, interval: 0, at: 0, in: tree ?? self.tree).jobs
  }

  /// Begins the only preview that is due.
  private func beginOne(
    _ plan: inout PreviewPlan, _ beginning: PreviewSchedule.Beginning
  ) throws -> PreviewJob {
    let jobs = begin(&plan, beginning)
    #expect(jobs.count == 1)
    return try #require(jobs.first)
  }

  @Test func eachRequestedStyleHasAJobOfItsOwn() throws {
    var plan = PreviewPlan()
    var tree = tree
    _ = tree.join(Caller(Self.request(.blurred)), fetch: place.fetch)
    let jobs = begin(&plan, beginning(2000), in: tree)
    #expect(jobs.map(\.style) == [.scans, .blurred])
    #expect(Set(jobs.map(\.number)).count == 2)
    #expect(begin(&plan, beginning(3000), in: tree).isEmpty, "previews of both styles are running")
    #expect(plan.end(of: place.decode) == jobs.map(\.number))
    #expect(plan.images(of: jobs[0], in: tree).isEmpty)
  }

  @Test func noPreviewIsMadeOfAStoppedTransferOrForPausedCallers() {
    var plan = PreviewPlan()
    var paused = tree
    _ = paused.setPaused(true, place.task)
    #expect(begin(&plan, beginning(2000), in: paused).isEmpty)
    var stopped = tree
    stopped.setPhase(.idle, of: place.fetch)
    #expect(begin(&plan, beginning(2000), in: stopped).isEmpty)
  }

  @Test func finishedPreviewIsKeptForLaterCallers() throws {
    var plan = PreviewPlan()
    let preview = Image.solid(width: 1, height: 1)
    let job = try beginOne(&plan, beginning(2000))
    #expect(plan.images(of: job, in: tree).map(\.id) == [place.processedImage])
    #expect(plan.isReady(preview, of: place.processedImage, job, in: tree) == [place.task])
    #expect(plan.newest(for: place.task, in: tree) === preview)

    plan.end(job, decoder, hasPreview: true, interval: 0, at: 0)
    #expect(plan.isReady(preview, of: place.processedImage, job, in: tree) == [], "the job is over")
    #expect(plan.newest(for: place.task, in: tree) === preview)
  }

  @Test func failedTransformEndsThePreviewsOfItsImage() throws {
    var plan = PreviewPlan()
    let job = try beginOne(&plan, beginning(2000))
    plan.hasFailed(place.processedImage, job)
    #expect(plan.images(of: job, in: tree).isEmpty)
  }

  @Test func decoderContinuesWithTheSameBodyOnly() throws {
    var plan = PreviewPlan()
    let first = try beginOne(&plan, beginning(2000))
    plan.end(first, decoder, hasPreview: true, interval: 0, at: 0)
    let second = try beginOne(&plan, beginning(3000))
    #expect(second.decoder?.decoder === decoder.decoder)
    plan.end(second, decoder, hasPreview: true, interval: 0, at: 0)

    let other = try beginOne(&plan, beginning(4000, body: 2))
    #expect(other.decoder == nil)
    #expect(plan.takeReleasedDecoders().count == 1)
  }

  @Test func decodersAreReleasedWithoutCallers() throws {
    var plan = PreviewPlan()
    let job = try beginOne(&plan, beginning(2000))
    plan.end(job, decoder, hasPreview: true, interval: 0, at: 0)
    var paused = tree
    _ = paused.setPaused(true, place.task)
    _ = begin(&plan, beginning(3000), in: paused)
    #expect(plan.takeReleasedDecoders().count == 1)
  }

  @Test func decodersAreReleasedForMemoryUnlessInUse() throws {
    var plan = PreviewPlan()
    let job = try beginOne(&plan, beginning(2000))
    plan.releaseDecoders(bytes: .max)
    #expect(plan.takeReleasedDecoders().isEmpty, "the decoder is in use")
    plan.skip(job, decoder)
    plan.releaseDecoders(bytes: 1)
    #expect(plan.takeReleasedDecoders().count == 1)
  }
}
