import Foundation
import Glibc
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// A process that writes continuously and is killed at a random moment.
///
/// `VITRINE_KILLS=300 ./run.sh test KilledWriter` kills the process 300 times; the default is 20.
@Suite(.timeLimit(.minutes(10))) struct KilledWriterTests {
  private let fixture = DiskFixture()

  private static let kills =
    ProcessInfo.processInfo.environment["VITRINE_KILLS"].flatMap { Int($0) }.map { min(max(1, $0), 100_000) }
    ?? 20

  @Test("responses of a killed process stay, none is damaged, and leftovers do not accumulate")
  func killedProcessDamagesNoResponses() throws {
    var stored: [UInt64: UInt64] = [:]
    // A killed process may have stored one more response without reporting it.
    var possiblyStored: Set<UInt64> = []
    var next: UInt64 = 1
    for round in 0..<Self.kills {
      for (number, version) in try Self.write(to: fixture.folder, from: next, count: .random(in: 1...40)) {
        stored[number] = version
        next = max(next, version + 1)
      }
      possiblyStored.insert(next)
      next += 1000
      let cache = fixture.cache()
      for (number, version) in stored {
        let found = cache.response(for: try Self.identity(number))
        guard let found, let foundVersion = Self.version(of: found.body, number) else {
          Issue.record(
            "round \(round): response \(number) of version \(version) is \(found == nil ? "gone" : "wrong")")
          continue
        }
        #expect(cache.head(for: try Self.identity(number))?.body == cache.digest(of: found.body))
        #expect(
          foundVersion == version || foundVersion > version && possiblyStored.contains(foundVersion),
          "round \(round): response \(number)")
      }
      #expect(cache.statistics.damaged == 0)
      let leftovers = fixture.everything.filter { $0.contains(TemporaryFile.prefix) }
      #expect(leftovers.count <= 1, "round \(round): \(leftovers)")
    }
    fixture.cache().trim()
    #expect(fixture.everything.allSatisfy { !$0.contains(TemporaryFile.prefix) })
    #expect(stored.count > 1)
  }

  @Test("pixels of a killed process stay, none is wrong or damaged, and leftovers do not accumulate")
  func killedProcessDamagesNoPixels() throws {
    var stored: [UInt64: UInt64] = [:]
    // A killed process may have stored one more image without reporting it.
    var possiblyStored: [UInt64] = []
    var next: UInt64 = 1
    for round in 0..<Self.kills {
      let written = try Self.write(
        to: fixture.folder, from: next, count: .random(in: 1...40), mode: ["pixels"])
      for (number, version) in written {
        stored[number] = version
        next = max(next, version + 1)
      }
      possiblyStored.append(next)
      next += 1000
      let cache = fixture.pixels()
      for (number, version) in stored {
        let versions = [version] + possiblyStored.filter { $0 > version && $0 &* 7919 % 60 == number }
        let found = try versions.first { try Self.finds($0, number, cache) }
        if let found { stored[number] = found } else { Issue.record("round \(round): \(number) \(version)") }
      }
      #expect(cache.statistics.damaged == 0)
      let leftovers = fixture.pixelFiles.filter { $0.contains(TemporaryFile.prefix) }
      #expect(leftovers.count <= 1, "round \(round): \(leftovers)")
    }
    let cache = fixture.pixels()
    let verification = cache.verify()
    #expect(verification.damaged == 0 && (stored.count...60).contains(verification.entries))
    // Each kill leaves at most one record that no entry leads to.
    #expect(cache.usage().bytes < (stored.count + Self.kills) * 64 * 64 * 4 + (4 << 20))
    #expect(stored.count > 1)
  }

  /// Returns true if the pixels of this version are found. Pixels of another content are an issue.
  private static func finds(_ version: UInt64, _ number: UInt64, _ cache: DiskPixelCache) throws -> Bool {
    let key = PixelKey(identity: try identity(number), variant: "probe")
    let body = BodyDigest(high: number, low: version)
    guard let bitmap = cache.pixels(for: key, of: body, reserving: { _ in })?.image.bitmap else {
      return false
    }
    let (width, height) = (1 + Int((number &* 31 &+ version &* 17) % 64), 1 + Int((version &* 7) % 64))
    let isRight = bitmap.withUnsafeBytes { bytes in
      bytes.indices.allSatisfy {
        bytes[$0] == UInt8(truncatingIfNeeded: UInt64($0) &* (version | 1) &+ number)
      }
    }
    #expect(
      bitmap.width == width && bitmap.height == height && isRight, "image \(number) of version \(version)")
    return true
  }

  // MARK: Responses

  private static func identity(_ number: UInt64) throws -> RequestIdentity {
    var request = try ImageRequest("http://a.test/\(number).jpg")
    if number % 2 == 0 { request.headers["Cookie"] = "id=\(number)" }
    return request.identity
  }

  /// Returns the version of a body; nil if the body does not belong to this number.
  private static func version(of body: [UInt8], _ number: UInt64) -> UInt64? {
    guard body.count >= 16 else { return nil }
    let words = [0, 8].map { start in
      (0..<8).reduce(UInt64(0)) { $0 | UInt64(body[start + $1]) << (8 * UInt64($1)) }
    }
    let version = words[1]
    guard words[0] == number, body.count == 16 + Int((number &* 31 &+ version &* 4099) % 20_000) else {
      return nil
    }
    let isWhole = (16..<body.count).allSatisfy {
      body[$0] == UInt8(truncatingIfNeeded: UInt64($0) &* (version | 1) &+ number)
    }
    return isWhole ? version : nil
  }

  // MARK: Process

  /// Runs the program and kills it at a random moment after `count` responses. Returns the stored responses in order.
  private static func write(
    to folder: String, from first: UInt64, count: Int, mode: [String] = []
  ) throws -> [(number: UInt64, version: UInt64)] {
    let process = try ProbeProcess(mode + [folder, "\(first)"], piping: STDOUT_FILENO)
    var output: [UInt8] = []
    var (lines, isKilled) = (0, false)
    var bytes = [UInt8](repeating: 0, count: 4096)
    let deadline = ContinuousClock.now.advanced(by: .seconds(60))
    // Reads to the end, because output from before the kill counts.
    while true {
      // A process that writes nothing is killed too, so that the test fails instead of hanging.
      guard process.hasOutput(before: deadline) else {
        Glibc.kill(process.id, SIGKILL)
        _ = process.end()
        throw WaitFailure(
          location: "\(#fileID):\(#line)", reason: "the process wrote \(lines) of \(count) lines")
      }
      let length = read(process.output, &bytes, bytes.count)
      guard length > 0 else { break }
      output += bytes[..<length]
      lines += bytes[..<length].count { $0 == UInt8(ascii: "\n") }
      if lines >= count, !isKilled {
        isKilled = true
        Glibc.kill(process.id, SIGKILL)
      }
    }
    #expect(process.end() & 0x7F == SIGKILL)
    return String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ").compactMap { UInt64($0) }
      return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
  }
}
