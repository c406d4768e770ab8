extension LayeredImageCache {
  /// The layers that an operation uses (`SDImageCachesManagerOperationPolicy`).
  public enum Policy: Hashable, Sendable, CaseIterable {
    /// Each layer in turn from the top. A lookup ends at the first layer that has a response.
    case serial
    /// All layers at once. A lookup ends with the first answer that is a hit, so that a layer that does not respond
    /// delays nothing that another layer has. A seed that has not responded after 0.3 seconds counts as empty until it
    /// responds. Each lookup starts a thread per layer. Stores and removals are made in
    /// turn, because their caller waits for all of them.
    case concurrent
    /// The top layer only.
    case highestOnly
    /// The bottom layer only.
    case lowestOnly

    /// Returns the indices of the layers that an operation uses, from the top; the top layer has the index 0.
    func layers(of count: Int) -> [Int] {
      guard count > 0 else { return [] }
      return switch self {
      case .serial, .concurrent: Array(0..<count)
      case .highestOnly: [0]
      case .lowestOnly: [count - 1]
      }
    }
  }

  /// The layers that each operation uses.
  public struct Policies: Hashable, Sendable {
    /// The layers in which a response is looked up; `.serial` by default.
    public var lookups = Policy.serial
    /// The layers that are asked whether they have a response; `.serial` by default.
    public var containment = Policy.serial
    /// The layers in which responses are stored; `.highestOnly` by default.
    public var stores = Policy.highestOnly
    /// The layers from which responses are removed; `.serial` by default. A response that a layer cannot remove, for
    /// example a seed, is hidden.
    public var removals = Policy.serial

    /// Creates policies with the default values.
    public init() {}
  }
}
