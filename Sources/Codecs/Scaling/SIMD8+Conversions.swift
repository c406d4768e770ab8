// Conversions of eight lanes, lane by lane. The generic initializers of the standard library, such as
// `init(truncatingIfNeeded:)`, are not always inlined in a module that is compiled by several threads, and a call for
// each vector takes several times as long as the instructions that these functions become.

extension SIMD8<UInt16> {
  @inline(__always)
  init(widening bytes: SIMD8<UInt8>) {
    func lane(_ index: Int) -> UInt16 { UInt16(bytes[index]) }
    self.init(lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7))
  }

  /// Each byte twice: times 257.
  @inline(__always)
  init(doubling bytes: SIMD8<UInt8>) {
    func lane(_ index: Int) -> UInt8 { bytes[index] }
    // Not a product, which the compiler would combine with a `highProduct` to one of 32 bits.
    let pairs = SIMD16<UInt8>(
      lane(0), lane(0), lane(1), lane(1), lane(2), lane(2), lane(3), lane(3), lane(4), lane(4), lane(5),
      lane(5),
      lane(6), lane(6), lane(7), lane(7))
    self = unsafeBitCast(pairs, to: SIMD8<UInt16>.self)
  }

  /// Returns the products in 65,536ths, without their fractions.
  @inline(__always)
  func highProduct(_ other: SIMD8<UInt16>) -> SIMD8<UInt16> {
    func lane(_ index: Int) -> UInt16 {
      UInt16(truncatingIfNeeded: (UInt32(self[index]) &* UInt32(other[index])) &>> 16)
    }
    return SIMD8(lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7))
  }

  /// Returns the products with a factor.
  @inline(__always)
  func fullProduct(_ factor: UInt16) -> SIMD8<UInt32> {
    func lane(_ index: Int) -> UInt32 { UInt32(self[index]) &* UInt32(factor) }
    return SIMD8<UInt32>(lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7))
  }

  /// The lower byte of each number.
  @inline(__always)
  var lowBytes: SIMD8<UInt8> {
    func lane(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: self[index]) }
    return SIMD8<UInt8>(lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7))
  }
}
