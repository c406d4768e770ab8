package import VitrineGraphics
package import VitrineLoading
package import VitrineWidgets

extension ImageRegions: TileSource {
  package func open(completion: @escaping @MainActor (RegionLayout?) -> Void) {
    open { (result: Result<RegionLayout, RegionError>) in completion(try? result.get()) }
  }

  package func load(
    _ region: ImageRegion, completion: @escaping @MainActor (Image?) -> Void
  ) -> any TileLoad {
    decode(region, priority: .high) { completion(try? $0.get()) }
  }
}

extension RegionLoad: TileLoad {}
