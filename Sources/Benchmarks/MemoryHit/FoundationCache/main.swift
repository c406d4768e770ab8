import Foundation

// Measures the time of a lookup in Foundation's NSCache, in nanoseconds. A separate program, because Foundation takes 6
// MB, which would count in the memory that the other benchmarks measure. Prints a JSON object whose keys are the
// numbers of entries.

/// A cached object; like an image, an instance of a class.
final class Value {}

func nanoseconds(entries: Int, lookups: Int) -> Double {
  let keys = (0..<entries).map {
    NSString(string: "https://pictures.example.com/albums/2024/summer/\($0)/cover.jpg")
  }
  let cache = NSCache<NSString, Value>()
  for key in keys { cache.setObject(Value(), forKey: key) }
  let order = (0..<lookups).map { _ in Int.random(in: 0..<entries) }
  let runs = (0..<5).map { _ in
    let start = DispatchTime.now().uptimeNanoseconds
    var found = 0
    for key in order where cache.object(forKey: keys[key]) != nil { found += 1 }
    return found == lookups ? Double(DispatchTime.now().uptimeNanoseconds - start) / Double(lookups) : .nan
  }
  // The first run warms up.
  return runs.dropFirst().sorted()[2]
}

print(
  "{\"1000\": \(nanoseconds(entries: 1000, lookups: 100_000)), "
    + "\"100000\": \(nanoseconds(entries: 100_000, lookups: 100_000))}")
