import Vitrine

// The code of the article about second starts and offline screens, compiled but not run; see `ArticleSnippets.swift`.

@MainActor
func frame(storingIn folder: String) throws -> Application {
  var configuration = Application.Configuration()
  configuration.dataCache = DiskImageCache(directory: folder)
  configuration.pixelCache = DiskPixelCache(directory: folder)
  configuration.firstFrameWait = 0.1
  return try Application(configuration: configuration)
}

@MainActor
func addSwitch(to toolbar: View) {
  let button = Button(frame: Rect(x: 0, y: 0, width: 160, height: 48))
  button.setTitle("Offline", for: .normal)
  button.changesSelectionAsPrimaryAction = true
  button.addAction(for: .valueChanged) { ImageDownloader.shared.isOffline = $0.isSelected }
  toolbar.addSubview(button)
}
