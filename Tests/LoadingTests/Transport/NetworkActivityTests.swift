import FoundationEssentials
import Testing
import VitrineTesting

@testable import VitrineLoading

@Suite("Counting network activity", .timeLimit(.minutes(5)))
struct NetworkActivityTests {
  private let network = NetworkActivity()

  private func fixture(endsCancelled: Bool = true) -> Fixture {
    Fixture({ [network] in $0.environment.networkActivity = network }, endsCancelled: endsCancelled)
  }

  @Test("YY-B26 a transfer counts while it runs") func transferCountsWhileItRuns() async throws {
    let fixture = fixture()
    let first = fixture.downloader.load(request("a.jpg"))
    let second = fixture.downloader.load(request("b.jpg"))
    #expect(network.count == 2)

    fixture.transport.transfers[0].respond(with: Fixture.body)
    #expect(network.count == 1, "decoding is no network activity")
    fixture.transport.transfers[1].fail(.status(500))

    #expect(network.count == 0)
    _ = try await first.response
    _ = try? await second.response
  }

  @Test func loadsThatShareATransferCountOnce() {
    let fixture = fixture()
    fixture.downloader.load(request())
    fixture.downloader.load(request())

    #expect(network.count == 1)
  }

  @Test("YY-B26 a cancelled transfer counts until its end") func cancelledTransferCountsUntilItsEnd() {
    let fixture = fixture(endsCancelled: false)
    let task = fixture.downloader.load(request())
    task.cancel()
    task.cancel()
    #expect(network.count == 1)

    fixture.transport.transfers[0].fail(.cancelled)

    #expect(network.count == 0)
  }

  @Test func releasedDownloaderLeavesNoTransferCounted() {
    do {
      let fixture = fixture()
      fixture.downloader.load(request())
    }

    #expect(network.count == 0)
  }

  @Test(arguments: ["data:image/png;base64,AAAA", "file:///nowhere.png"])
  func localTransfersAreNotCounted(address: String) async throws {
    let recorder = Recorder<Int>()
    let number = network.observe { recorder.add(1) }
    defer { network.endObserving(number) }

    _ = try? await fixture().downloader.image(for: address)

    await MainActor.run { #expect(recorder.values.isEmpty) }
    #expect(network.count == 0)
  }

  @Test func memoryHitIsNotCounted() async throws {
    let fixture = fixture()
    try await fixture.loaded(request())
    let recorder = Recorder<Int>()
    let number = network.observe { recorder.add(1) }
    defer { network.endObserving(number) }

    _ = try await fixture.downloader.image(for: request())

    await MainActor.run { #expect(recorder.values.isEmpty) }
  }

  @Test("AF-A11 an increment is reported once")
  func incrementIsReportedOnce() async throws {
    let recorder = Recorder<Int>()
    let number = network.observe { [network] in recorder.add(network.count) }

    network.increment()

    #expect(try await recorder.wait(for: 1) == [1])
    network.endObserving(number)
    network.increment()
    await MainActor.run { #expect(recorder.values == [1]) }
  }

  @Test("AF-A14 the count is never below 0")
  func countIsNeverNegative() {
    network.decrement()
    network.decrement()
    network.increment()

    #expect(network.count == 1)
  }

  @Test func concurrentChangesAreCounted() async {
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { [network] in
          for _ in 0..<1000 { network.increment() }
          for _ in 0..<999 { network.decrement() }
        }
      }
    }

    #expect(network.count == 8)
  }
}
