/// Saturating sums and products of sizes that a file claims. The results are clamped to `Int.max` instead of trapping.
/// Factors and terms must be 0 or more.
enum ByteCount {
  static func product(_ a: Int, _ b: Int, _ c: Int = 1) -> Int {
    let (first, firstOverflows) = a.multipliedReportingOverflow(by: b)
    let (all, overflow) = first.multipliedReportingOverflow(by: c)
    return firstOverflows || overflow ? .max : all
  }

  static func sum(_ terms: Int...) -> Int {
    terms.reduce(0) { sum, term in
      let (all, overflow) = sum.addingReportingOverflow(term)
      return overflow ? .max : all
    }
  }
}
