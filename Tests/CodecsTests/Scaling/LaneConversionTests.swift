import Testing
import VitrineTesting

@testable import VitrineCodecs

/// Conversions and products of eight lanes.
@Suite struct LaneConversionTests {
  @Test func lanesAreConvertedInOrder() {
    let bytes = SIMD8<UInt8>(0, 1, 2, 127, 128, 200, 254, 255)
    let wide = SIMD8<UInt16>(widening: bytes)

    #expect(wide == SIMD8(0, 1, 2, 127, 128, 200, 254, 255))
    #expect((wide &+ 256).lowBytes == bytes)
    #expect(SIMD8<UInt16>(doubling: bytes) == wide &* 257)
  }

  @Test func productsAreExact() {
    var random = SplitMix(state: 3)
    for _ in 0..<100 {
      let bits = (random.next(), random.next(), random.next(), random.next())
      let a = unsafeBitCast(SIMD2(bits.0, bits.1), to: SIMD8<UInt16>.self)
      let b = unsafeBitCast(SIMD2(bits.2, bits.3), to: SIMD8<UInt16>.self)
      for lane in 0..<8 {
        #expect(Int(a.highProduct(b)[lane]) == Int(a[lane]) * Int(b[lane]) / 65_536)
        #expect(Int(a.fullProduct(b[0])[lane]) == Int(a[lane]) * Int(b[0]))
      }
    }
  }
}
