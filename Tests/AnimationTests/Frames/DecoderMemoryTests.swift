import Synchronization
import Testing
import VitrineCodecs
import VitrineConcurrency
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@testable import VitrineAnimation

/// The memory of decoders, in a ledger.
@Suite(.timeLimit(.minutes(5))) struct DecoderMemoryTests {
  private static let side = 16
  private static let frameBytes = side * side * 4
  private static let decoderBytes = 40 * frameBytes

  private func counted(_ image: Image, in ledger: MemoryLedger) -> Image {
    image.countAsShown(movedFrom: MemoryReservation(0, in: ledger, as: .decoding))
    return image
  }

  /// Animations in a budget, each in a view of its own.
  private final class World {
    let ledger: MemoryLedger
    let pool = FramePool(threads: 2)
    let animations: [CountingAnimation]
    let streams: [FrameStream]

    init(
      _ count: Int, frameCount: Int, budget: Int, _ storage: FrameStorage = .streaming,
      gate: Gate = Gate(isOpen: true)
    ) throws {
      let (ledger, pool) = (MemoryLedger(budget: budget), pool)
      self.ledger = ledger
      animations = (0..<count).map { _ in
        CountingAnimation(
          frameCount: frameCount, side: side, decoderByteCount: decoderBytes, decodingByteCount: frameBytes,
          gate: gate)
      }
      streams = try animations.map { animation in
        let image = animation.image.storingFrames(as: storage)
        image.countAsShown(movedFrom: MemoryReservation(0, in: ledger, as: .decoding))
        return try #require(pool.frames(of: image) {})
      }
    }

    var decoderCounts: [Int] { animations.map { $0.counts.withLock(\.decoders) } }
    var livingDecoders: Int { animations.reduce(0) { $0 + $1.counts.withLock(\.livingDecoders) } }

    func frame(_ number: Int, of stream: Int) -> UInt8? {
      streams[stream].frame(for: FrameDemand(current: number), waitingFor: 30)?.image.bitmap
        .color(x: 0, y: 0).red
    }
  }

  /// A budget of some decoders, and of the frames of ten animations.
  private static func budget(decoders: Int) -> Int { decoders * decoderBytes + 10 * 9 * frameBytes }

  @Test func animationsWhoseDecodersExceedTheBudgetAllMoveInTurn() async throws {
    let frameCount = 200
    let world = try World(10, frameCount: frameCount, budget: Self.budget(decoders: 3))
    var shown = [Set<Int>](repeating: [], count: 10)
    var (lastFrames, lastSteps) = ([Int](repeating: 0, count: 10), [Int](repeating: 0, count: 10))
    var longestWait = 0
    for step in 1...600 {
      for (index, stream) in world.streams.enumerated() {
        let frames = (0..<3).map { (step + $0) % frameCount }
        let demand = FrameDemand(current: frames[0], upcoming: Array(frames.dropFirst()), time: Double(step))
        if let found = stream.frame(for: demand), found.number != lastFrames[index] {
          shown[index].insert(found.number)
          longestWait = max(longestWait, step - lastSteps[index])
          (lastFrames[index], lastSteps[index]) = (found.number, step)
        }
      }
      #expect(world.livingDecoders <= 4)
      try await until { world.pool.isIdle }
    }
    #expect(shown.allSatisfy { $0.count >= 20 }, "\(shown.map(\.count))")
    // Frames are shown for 0.1 s each.
    #expect(longestWait <= 40, "\(longestWait) steps; twice the time that an animation waits, about")
    #expect(world.ledger.peak <= world.ledger.budget)
    let decoded = world.animations.reduce(0) { $0 + $1.counts.withLock(\.frames).count }
    #expect(world.decoderCounts.reduce(0, +) * 8 < decoded, "a decoder decodes several frames")
  }

  @Test func framesThatTakeLessThanTheirDecoderAreKeptInstead() async throws {
    let frameCount = 14
    let budget = Self.budget(decoders: 3) + 10 * frameCount * Self.frameBytes
    let world = try World(10, frameCount: frameCount, budget: budget, .automatic)
    func play(_ steps: Int) async throws {
      for step in 1...steps {
        for stream in world.streams {
          _ = stream.frame(
            for: FrameDemand(current: step % frameCount, upcoming: [(step + 1) % frameCount]))
        }
        try await until { world.pool.isIdle }
      }
    }
    try await play(200)
    #expect(world.pool.bytes == 10 * (frameCount - 1) * Self.frameBytes)
    let decoded = world.pool.decodedFrames

    try await play(2 * frameCount)

    #expect(world.pool.decodedFrames == decoded)
    #expect(world.ledger.peak <= world.ledger.budget)
  }

  @Test func everyFrameForWhichAThreadWaitsIsDecoded() throws {
    let world = try World(10, frameCount: 20, budget: Self.budget(decoders: 2))
    for number in 1..<20 {
      for index in world.streams.indices { #expect(world.frame(number, of: index) == UInt8(number)) }
      #expect(world.livingDecoders <= 3)
    }
    #expect(world.ledger.peak <= world.ledger.budget)
  }

  @Test func noDecoderIsMadeAgainWhileMemoryIsEnough() throws {
    let world = try World(10, frameCount: 20, budget: Self.budget(decoders: 10))
    for number in 1..<60 {
      for index in world.streams.indices {
        #expect(world.frame(number % 20, of: index) == UInt8(number % 20))
      }
    }
    #expect(world.decoderCounts == Array(repeating: 1, count: 10))
  }

  @Test func decoderOfASuspendedViewIsReleasedFirst() throws {
    let world = try World(3, frameCount: 200, budget: 2 * Self.decoderBytes + 20 * Self.frameBytes)
    #expect(world.frame(1, of: 0) == 1 && world.frame(1, of: 1) == 1)
    world.streams[1].suspend()

    #expect(world.frame(1, of: 2) == 1)
    #expect(world.frame(2, of: 0) == 2 && world.frame(2, of: 2) == 2)
    #expect(world.decoderCounts == [1, 1, 1])

    #expect(world.frame(2, of: 1) == 2)
    #expect(world.decoderCounts == [1, 2, 1])
    #expect(world.ledger.peak <= world.ledger.budget)
  }

  @Test func decoderThatIsRunningSurvivesPressure() async throws {
    let gate = Gate()
    let world = try World(1, frameCount: 20, budget: .max, gate: gate)
    #expect(world.streams[0].frame(for: FrameDemand(current: 1)) == nil)
    await gate.waitUntilHeld(1)

    world.ledger.handlePressure(.critical)
    #expect(world.livingDecoders == 1)
    gate.open()
    try await until { world.pool.isIdle }
    #expect(world.streams[0].frame(for: FrameDemand(current: 1))?.number == 1)
    #expect(world.decoderCounts == [1])

    world.ledger.handlePressure(.warning)
    #expect(world.livingDecoders == 1)
    world.ledger.handlePressure(.critical)
    #expect(world.livingDecoders == 0)
  }

  @Test func memoryOfADecodeIsReservedForItsTime() async throws {
    let gate = Gate()
    let world = try World(1, frameCount: 20, budget: .max, gate: gate)
    let before = world.ledger.usage.total
    #expect(world.streams[0].frame(for: FrameDemand(current: 1)) == nil)
    await gate.waitUntilHeld(1)
    #expect(world.ledger.usage.decoding == Self.decoderBytes + 2 * Self.frameBytes)

    gate.open()
    try await until { world.pool.isIdle }
    #expect(world.ledger.usage.decoding == Self.decoderBytes)
    #expect(world.ledger.usage.total == before + Self.decoderBytes + Self.frameBytes)
  }

  @Test func frameThatNeverFitsReleasesNothing() async throws {
    let ledger = MemoryLedger(budget: 20 * Self.frameBytes)
    let pool = FramePool()
    let small = CountingAnimation(frameCount: 10, side: Self.side)
    let large = CountingAnimation(frameCount: 10, side: Self.side, decoderByteCount: Self.decoderBytes)
    let streams = try [small, large].map { try #require(pool.frames(of: counted($0.image, in: ledger)) {}) }
    for number in 1...3 {
      #expect(streams[0].frame(for: FrameDemand(current: number), waitingFor: 30)?.number == number)
    }
    let bytes = pool.bytes

    #expect(streams[1].frame(for: FrameDemand(current: 1), waitingFor: 30) == nil)

    #expect(pool.bytes == bytes && small.counts.withLock(\.livingDecoders) == 1)
    #expect(streams[1].firstDamaged == 1 && large.counts.withLock(\.decoders) == 0)

    streams[0].suspend()
    #expect(small.counts.withLock(\.livingDecoders) == 1, "the memory is not short")
    try await until { pool.isIdle }
    #expect(streams[1].frame(for: FrameDemand(current: 2)) == nil && pool.isIdle, "no frame is tried again")
  }

  @Test func framesOfADecoderThatWasMadeAgainHaveEqualPixels() throws {
    let (side, frameCount) = (64, 12)
    let frames = (0..<frameCount).map { number in
      let bitmap = Bitmap(width: side, height: side, format: .bgra, isOpaque: false) { bytes, rowBytes in
        for x in 0...number {
          bytes.storeBytes(
            of: 0xFF00_0000 | UInt32(40 * x), toByteOffset: x * 4 + x * rowBytes, as: UInt32.self)
        }
      }
      return Image.Frame(bitmap: bitmap, duration: 0.1)
    }
    let codecs = ImageCodecs()
    let file = try codecs.encode(frames: frames, as: .gif)
    let images = try (0..<2).map { _ in
      try codecs.decode(file, options: DecodeOptions()).storingFrames(as: .streaming)
    }
    let canvas = side * side * 4
    // Room for one decoder, for what it allocates, and for some frames.
    let ledger = MemoryLedger(budget: 10 * canvas + 2 * images[0].cost)
    let pool = FramePool()
    let reserved = MemoryReservation(2 * canvas, in: ledger, as: .decoding)
    let streams = try images.map { try #require(pool.frames(of: counted($0, in: ledger)) {}) }
    var bitmaps: [Int: Bitmap] = [:]
    for number in Array(1..<frameCount) + Array(1..<frameCount) {
      for stream in streams {
        let demand = FrameDemand(current: number)
        let found = try #require(stream.frame(for: demand, waitingFor: 30))
        let bitmap = found.image.bitmap
        if let known = bitmaps[number] { #expect(bitmap.hasPixels(of: known), "frame \(number)") }
        bitmaps[number] = bitmap
        ledger.handlePressure(.critical)
      }
    }
    #expect(ledger.peak <= ledger.budget)
    withExtendedLifetime(reserved) {}
  }
}
