import CCodecs
import Testing
import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

/// The header of JPEGs of which only means are read. Headers of other images, and damaged ones, are left to libjpeg.
@Suite struct JPEGMeansHeaderTests {
  /// The segments of a JPEG, up to its scan, and what follows.
  private struct File {
    var segments: [(marker: UInt8, payload: [UInt8])] = []
    var rest: [UInt8] = []
    /// Bytes before each segment.
    var filler: [UInt8] = []

    /// A file of three components, with subsampled chroma.
    init(isProgressive: Bool = false) {
      var fixture = JPEGFixture.edgesAndNoise(width: 64, height: 48, .rgb)
      fixture.subsamples = true
      fixture.restartInterval = 3
      fixture.isProgressive = isProgressive
      let bytes = fixture.bytes
      for (marker, payload) in JPEGSegments(bytes) {
        segments.append((marker, Array(payload)))
        rest = Array(bytes[payload.endIndex...])
      }
    }

    /// The segments up to the scan, in bytes.
    var header: [UInt8] {
      segments.reduce([0xFF, 0xD8]) { bytes, segment in
        let length = segment.payload.count + 2
        return bytes + filler + [0xFF, segment.marker, UInt8(length >> 8), UInt8(length & 255)]
          + segment.payload
      }
    }

    var bytes: [UInt8] { header + rest }

    /// Changes the payload of the first segment with a marker.
    mutating func change(_ marker: UInt8, _ change: (inout [UInt8]) -> Void) {
      guard let index = segments.firstIndex(where: { $0.marker == marker }) else { return }
      change(&segments[index].payload)
    }

    mutating func removeAll(_ marker: UInt8) { segments.removeAll { $0.marker == marker } }

    /// Adds a segment before the first one with a marker.
    mutating func insert(_ new: UInt8, _ payload: [UInt8], before marker: UInt8 = 0xDA) {
      let index = segments.firstIndex { $0.marker == marker } ?? segments.endIndex
      segments.insert((new, payload), at: index)
    }
  }

  private enum Marker {
    static let application0: UInt8 = 0xE0, application14: UInt8 = 0xEE, comment: UInt8 = 0xFE
    static let frame: UInt8 = 0xC0, scan: UInt8 = 0xDA, quantizers: UInt8 = 0xDB, huffman: UInt8 = 0xC4
    static let restart: UInt8 = 0xDD
  }

  /// Returns `nil` for a header that is left to libjpeg.
  private func read(_ bytes: [UInt8]) -> vitrine_dc_header? {
    // Storage of exactly this size, so that the address sanitizer notices a read beyond it.
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    defer { copy.deallocate() }
    _ = copy.initialize(from: bytes)
    var header = vitrine_dc_header()
    return vitrine_dc_read_header(copy.baseAddress, copy.count, &header) ? header : nil
  }

  private func isRead(_ change: (inout File) -> Void) -> Bool {
    var file = File()
    change(&file)
    return read(file.bytes) != nil
  }

  @Test func headerHasTheFieldsOfTheFile() throws {
    let file = File()

    let header = try #require(read(file.bytes))

    #expect(
      header.width == 64 && header.height == 48 && header.component_count == 3 && !header.is_progressive)
    #expect(header.codes_offset == file.header.count)
    #expect(header.components.0.horizontal == 2 && header.components.0.vertical == 2)
    #expect(header.components.1.horizontal == 1 && header.components.2.vertical == 1)
    #expect(header.components.0.ac == 0 && header.components.2.dc == 1 && header.components.2.quantizers == 1)
    #expect(header.restart_interval == 3 && header.has_jfif)
    #expect(header.dc.0.is_present && header.ac.1.is_present && !header.ac.2.is_present)
    let factors = try #require(file.segments.first { $0.marker == Marker.quantizers }).payload.dropFirst()
    #expect(header.quantizers.0.factors.0 == UInt16(try #require(factors.first)))
    #expect(header.quantizers.0.factors.63 == UInt16(factors[64]))
  }

  @Test func progressiveHeaderHasTheContentsOfTheFirstScan() throws {
    let header = try #require(read(File(isProgressive: true).bytes))

    #expect(header.is_progressive && header.first_coefficient == 0 && header.last_coefficient == 0)
    #expect(header.missing_before == 0 && header.missing_bits == 1)
  }

  @Test func everyPartOfAHeaderIsLeftToLibjpeg() {
    let bytes = File().header

    for count in 0..<bytes.count { #expect(read(Array(bytes.prefix(count))) == nil, "\(count) bytes") }
    #expect(read(bytes) != nil)
  }

  /// libjpeg takes three components for YCbCr unless a marker or their identifiers tell otherwise.
  @Test func onlyYCbCrIsRead() {
    func setIdentifiers(_ file: inout File, _ identifiers: [UInt8]) {
      for (index, identifier) in identifiers.enumerated() {
        file.change(Marker.frame) { $0[6 + 3 * index] = identifier }
        file.change(Marker.scan) { $0[1 + 2 * index] = identifier }
      }
    }
    let adobe = Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0]
    let rgb = Array("RGB".utf8)

    for identifiers in [[1, 2, 3], [0, 1, 2], [1, 34, 35], Array("RGA".utf8)] {
      #expect(
        isRead {
          $0.removeAll(Marker.application0)
          setIdentifiers(&$0, identifiers)
        }, "\(identifiers)")
    }
    #expect(
      !isRead {
        $0.removeAll(Marker.application0)
        setIdentifiers(&$0, rgb)
      })
    #expect(isRead { setIdentifiers(&$0, rgb) }, "JFIF is YCbCr")
    #expect(
      !isRead {
        $0.change(Marker.application0) { $0.removeLast() }
        setIdentifiers(&$0, rgb)
      }, "too short for JFIF")
    for (transform, isYCbCr) in [(0, false), (1, true), (2, true), (255, true)] as [(UInt8, Bool)] {
      let isRead = isRead {
        $0.removeAll(Marker.application0)
        $0.insert(Marker.application14, adobe + [transform])
        setIdentifiers(&$0, rgb)
      }
      #expect(isRead == isYCbCr, "transform \(transform)")
    }
    #expect(isRead { $0.insert(Marker.application14, adobe + [0]) }, "JFIF counts more than Adobe")
    #expect(
      !isRead {
        $0.removeAll(Marker.application0)
        $0.insert(Marker.application14, adobe)
        setIdentifiers(&$0, rgb)
      }, "too short for Adobe")
  }

  /// The color space that libjpeg sees is that of the header.
  @Test func acceptedHeadersHaveTheColorsOfLibjpeg() throws {
    for identifiers in [[1, 2, 3], Array("RGB".utf8)] {
      for transform in [nil, 0, 1, 2, 255] as [UInt8?] {
        for hasJFIF in [false, true] {
          var file = File()
          if !hasJFIF { file.removeAll(Marker.application0) }
          if let transform {
            file.insert(Marker.application14, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])
          }
          for index in 0..<3 {
            file.change(Marker.frame) { $0[6 + 3 * index] = identifiers[index] }
            file.change(Marker.scan) { $0[1 + 2 * index] = identifiers[index] }
          }
          let bytes = file.bytes
          let isYCbCr = try bytes.withUnsafeBufferPointer {
            let reader = try JPEGReader($0, limits: .init())
            return withExtendedLifetime(reader) {
              reader.handle.pointee.info.jpeg_color_space == JCS_YCbCr
            }
          }
          #expect((read(bytes) != nil) == isYCbCr, "\(identifiers) \(transform ?? 9) \(hasJFIF)")
        }
      }
    }
  }

  @Test func fillBytesAndUnknownDataOfApplicationsAreSkipped() {
    #expect(isRead { $0.filler = [0xFF, 0xFF] })
    #expect(
      isRead {
        $0.insert(0xE5, [0xFF, 0xDA, 0, 2])
        $0.insert(Marker.comment, [])
      })
    for filler in [[0], [7, 0], [0xFF, 0], [0xFF, 0xFF, 0, 3], [0xFF, 0xD0], [0xFF, 0x01]] as [[UInt8]] {
      #expect(isRead { $0.filler = filler }, "\(filler)")
    }
    #expect(!isRead { $0.filler = [0xFF, 0xD8] }, "two beginnings")
  }

  /// 0xDC states the height after the scan, and 0xCC is for arithmetic coding.
  @Test(arguments: [0xC3, 0xC5, 0xC8, 0xC9, 0xCC, 0xDC, 0xDE, 0xDF, 0xF7, 0x02] as [UInt8])
  func otherSegmentsAreLeftToLibjpeg(marker: UInt8) {
    #expect(!isRead { $0.insert(marker, [0, 0], before: Marker.frame) })
  }

  @Test func unusualFramesAreLeftToLibjpeg() {
    func isRead(at index: Int, _ value: UInt8) -> Bool {
      self.isRead { $0.change(Marker.frame) { $0[index] = value } }
    }

    #expect(isRead(at: 0, 8) && !isRead(at: 0, 12), "bits of a sample")
    #expect(!isRead(at: 5, 2) && !isRead(at: 5, 4) && !isRead(at: 5, 0), "components")
    #expect(!isRead(at: 7, 0x02) && !isRead(at: 7, 0x20) && !isRead(at: 7, 0x25), "sampling factors")
    #expect(!isRead(at: 8, 4), "a quantization table")
    #expect(!isRead(at: 9, 1), "another identifier than in the scan")
    #expect(
      self.isRead {
        $0.change(Marker.frame) { $0[9] = 1 }
        $0.change(Marker.scan) { $0[3] = 1 }
      }, "two components with an identifier, in the order of the frame")
    #expect(!self.isRead { $0.change(Marker.frame) { $0.append(0) } })
    #expect(!self.isRead { $0.insert(Marker.frame, [8, 0, 8, 0, 8, 1, 1, 0x11, 0]) }, "two frames")
    for (high, low, isRead) in [(0, 0, false), (0xFF, 0xDC, true), (0xFF, 0xDD, false)]
      as [(UInt8, UInt8, Bool)]
    {
      for side in [1, 3] {
        let isSideRead = self.isRead {
          $0.change(Marker.frame) { $0.replaceSubrange(side...side + 1, with: [high, low]) }
        }
        #expect(isSideRead == isRead, "\(high) \(low)")
      }
    }
  }

  @Test func unusualScansAreLeftToLibjpeg() {
    #expect(!isRead { $0.change(Marker.scan) { $0.swapAt(1, 3) } }, "another order")
    #expect(!isRead { $0.change(Marker.scan) { $0[2] = 0x40 } }, "a table of means")
    #expect(!isRead { $0.change(Marker.scan) { $0[2] = 0x04 } }, "a table of other coefficients")
    #expect(!isRead { $0.change(Marker.scan) { $0.append(0) } })
    #expect(!isRead { $0.change(Marker.scan) { $0 = [1, 1, 0, 0, 63, 0] } }, "a component alone")
    #expect(!isRead { $0.removeAll(Marker.frame) })
    #expect(!isRead { $0.change(Marker.restart) { $0.append(0) } }, "a restart interval of three bytes")
  }

  @Test func tablesMayShareASegmentAndReplaceEachOther() throws {
    var file = File()
    let factors = [UInt8](1...64)
    // A factor of 16 bits, and a factor of 8 bits.
    file.insert(
      Marker.quantizers,
      [0x13] + factors.flatMap { [1, $0] } + [0x02] + factors + [0x02] + factors.reversed())
    let codes = [0, 1] + [UInt8](repeating: 0, count: 14)
    file.insert(Marker.huffman, [0x03] + codes + [7] + [0x13] + codes + [9])

    let header = try #require(read(file.bytes))

    #expect(header.quantizers.3.factors.0 == 257 && header.quantizers.3.factors.63 == 256 + 64)
    #expect(header.quantizers.2.factors.0 == 64 && header.quantizers.2.factors.63 == 1)
    #expect(header.dc.3.counts.2 == 1 && header.dc.3.values.0 == 7 && header.ac.3.values.0 == 9)
  }

  @Test func damagedTablesAreLeftToLibjpeg() {
    let factors = [UInt8](repeating: 1, count: 64)
    let one = [1] + [UInt8](repeating: 0, count: 15)

    #expect(isRead { $0.insert(Marker.quantizers, [0x03] + factors) })
    for payload in [
      [0x04] + factors, [0x03] + factors.dropLast(), [0x03] + factors + [0x03], [0x23] + factors,
    ] {
      #expect(!isRead { $0.insert(Marker.quantizers, payload) }, "\(payload)")
    }
    #expect(!isRead { $0.insert(Marker.quantizers, [0x13] + factors) })
    #expect(isRead { $0.insert(Marker.huffman, [0x03] + one + [1]) })
    for payload in [
      [0x04] + one + [1], [0x23] + one + [1], [0x03] + one, [0x03] + one + [1, 1], [0x03] + one.dropLast(),
    ] {
      #expect(!isRead { $0.insert(Marker.huffman, payload) }, "\(payload)")
    }
    // 256 codes are the most.
    for (number, isAccepted) in [(16, true), (17, false)] as [(UInt8, Bool)] {
      let counts = [UInt8](repeating: 16, count: 15) + [number]
      let values = [UInt8](repeating: 0, count: 240 + Int(number))
      #expect(isRead { $0.insert(Marker.huffman, [0x03] + counts + values) } == isAccepted, "\(number)")
    }
  }
}
