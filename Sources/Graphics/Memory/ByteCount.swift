/// Saturating sums and products of sizes that a file or an application states. The results are clamped to `Int.max`
/// instead of trapping. Factors and terms must be 0 or more.
package enum ByteCount {
  package static func product(_ a: Int, _ b: Int, _ c: Int = 1) -> Int {
    let (first, firstOverflows) = a.multipliedReportingOverflow(by: b)
    let (all, overflow) = first.multipliedReportingOverflow(by: c)
    return firstOverflows || overflow ? .max : all
  }

  package static func sum(_ terms: Int...) -> Int {
    terms.reduce(0) { sum($0, $1) }
  }

  package static func sum(_ a: Int, _ b: Int) -> Int {
    let (all, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : all
  }
}
