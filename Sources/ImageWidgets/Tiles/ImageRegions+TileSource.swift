package import VitrineGraphics
package import VitrineLoading
package import VitrineWidgets

extension ImageRegions: TileSource {
  package func open(for shown: Image, completion: @escaping @MainActor (RegionLayout?) -> Void) {
    open(of: shown.content) { completion(try? $0.get()) }
  }

  package func load(
    _ region: ImageRegion, completion: @escaping @MainActor (Image?) -> Void
  ) -> any TileLoad {
    decode(region, priority: .high) { completion(try? $0.get()) }
  }
}

extension RegionLoad: TileLoad {}
