import FoundationEssentials
import Glibc
import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Loads from many threads at once, which ThreadSanitizer checks when it is enabled.
@Suite(.timeLimit(.minutes(5))) struct StormTests {
  @Test("AF-D31, AF-D32 starts and cancels from several threads: each load completes once")
  func concurrentStartsAndCancelsCompleteOnce() async throws {
    let transport = ThreadedTransport()
    let downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder())
    let (threads, loads) = (4, 400)
    let recorder = await MainActor.run { Recorder<Int>() }

    for thread in 0..<threads {
      BlockingThread.start {
        var chance = SplitMix(state: UInt64(thread))
        var tasks: [ImageTask] = []
        for load in 0..<loads {
          let number = thread * loads + load
          let request = request(
            "\(chance.next(10))", policy: chance.next(4) == 0 ? .reload : .useCache,
            target: chance.next(2) == 0 ? nil : .init(width: 8, height: 8),
            transforms: chance.next(3) == 0 ? [.grayscale()] : [])
          tasks.append(
            downloader.load(request, completion: { _ in recorder.add(number) }, progress: { _ in }))
          if chance.next(2) == 0 { tasks[chance.next(tasks.count)].cancel() }
          if chance.next(8) == 0 { tasks[chance.next(tasks.count)].priority = .high }
          if chance.next(64) == 0 { downloader.removeAllCachedImages() }
          if chance.next(64) == 0 { downloader.maximumActiveDownloads = 1 + chance.next(8) }
        }
      }
    }

    let numbers = try await recorder.wait(for: threads * loads)
    #expect(Set(numbers).count == threads * loads)
    #expect(numbers.count == threads * loads)
  }

  @Test func loadsOfAReleasedDownloaderAllComplete() async throws {
    let recorder = await MainActor.run { Recorder<Int>() }
    for round in 0..<20 {
      let downloader = ImageDownloader(transports: [ThreadedTransport()], decoder: FakeDecoder())
      for number in 0..<20 {
        downloader.load(request("\(number)"), completion: { _ in recorder.add(round * 20 + number) })
      }
    }

    #expect(try await Set(recorder.wait(for: 400)).count == 400)
  }

  @Test(
    "24,000 starts and cancels from eight threads: completion handlers are called once, no handler or transfer stays"
  )
  func cancelledLoadsCompleteOnceAndLeaveNothing() async throws {
    let (threads, pairs) = (8, 3000)
    let transport = CountingTransport()
    let downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder(), cache: nil)
    let (recorder, marks) = (await MainActor.run { Recorder<Int>() }, Counter())

    for thread in 0..<threads {
      BlockingThread.start {
        var chance = SplitMix(state: UInt64(thread))
        for pair in 0..<pairs {
          let (number, mark) = (thread * pairs + pair, marks.mark())
          let task = downloader.load(
            request("\(chance.next(100))"),
            completion: { result in
              withExtendedLifetime(mark) { recorder.add(result.isCancelled ? number : -1) }
            })
          task.cancel()
          if chance.next(16) == 0 { task.cancel() }
        }
      }
    }

    let numbers = try await recorder.wait(for: threads * pairs)
    #expect(numbers.count == threads * pairs)
    #expect(Set(numbers) == Set(0..<threads * pairs))
    // The jobs that were queued for the main actor have run after this.
    await drainMainQueue()
    #expect(await recorder.values.count == threads * pairs)
    #expect(marks.count == 0)
    #expect(transport.running == 0)
    #expect(downloader.statistics.cancellations == threads * pairs)
  }
}

extension Result<ImageResponse, ImageError> {
  fileprivate var isCancelled: Bool { if case .failure(.cancelled) = self { true } else { false } }
}

/// Counts the marks that are still referenced.
private final class Counter: Sendable {
  private let number = Atomic(0)

  var count: Int { number.load(ordering: .sequentiallyConsistent) }

  func mark() -> Mark { Mark(self) }

  final class Mark: Sendable {
    private let counter: Counter

    init(_ counter: Counter) {
      self.counter = counter
      counter.number.add(1, ordering: .sequentiallyConsistent)
    }

    deinit { counter.number.subtract(1, ordering: .sequentiallyConsistent) }
  }
}

/// Never responds, and counts the transfers that are started and not cancelled.
private final class CountingTransport: DataTransport {
  let schemes: Set<String> = ["http"]
  private let count = Atomic(0)

  var running: Int { count.load(ordering: .sequentiallyConsistent) }

  func start(_ request: TransportRequest, receiver: any TransportReceiver) -> any Cancellable {
    count.add(1, ordering: .sequentiallyConsistent)
    return Transfer(self, FakeTransport().start(request, receiver: receiver))
  }

  private final class Transfer: Cancellable {
    private let transport: CountingTransport
    private let transfer: any Cancellable
    private let isCancelled = Atomic(false)

    init(_ transport: CountingTransport, _ transfer: any Cancellable) {
      self.transport = transport
      self.transfer = transfer
    }

    func cancel() {
      transfer.cancel()
      if !isCancelled.exchange(true, ordering: .sequentiallyConsistent) {
        transport.count.subtract(1, ordering: .sequentiallyConsistent)
      }
    }
  }
}

/// Responds to each transfer on a thread of its own, as a real transport does.
private final class ThreadedTransport: DataTransport {
  let schemes: Set<String> = ["http"]
  private let pool = WorkerPool(threads: 2)
  private let lastNumber = Atomic<UInt64>(0)

  func start(_ request: TransportRequest, receiver: any TransportReceiver) -> any Cancellable {
    let transfer = FakeTransport(endsCancelled: true)
    let handle = transfer.start(request, receiver: receiver)
    pool.submit(lastNumber.add(1, ordering: .relaxed).newValue) {
      transfer.transfers[0].respond(with: Fixture.body)
    }
    return handle
  }
}
