import FoundationEssentials
import Glibc
import Vitrine

// The code of the documentation's articles, compiled but not run. `ArticleTests` compares it with the articles.

@MainActor
func overview() throws {
  let application = try Application(title: "Cover")
  let cover = ImageView(frame: Rect(x: 40, y: 40, width: 320, height: 240))
  cover.setImage(from: "https://example.com/cover.jpg")
  application.window.addSubview(cover)
  application.run()
}

final class CoverCell: ListCell {
  let image = ImageView()

  required init(frame: Rect = .zero) {
    super.init(frame: frame)
    image.cornerRadius = 8
    addSubview(image)
  }

  override func layoutSubviews() { image.frame = bounds.inset(by: 8) }
}

@MainActor
final class Covers: ListViewDataSource {
  let addresses: [String]

  init(addresses: [String]) { self.addresses = addresses }

  func numberOfRows(in listView: ListView) -> Int { addresses.count }

  func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
    let cell = listView.dequeueCell(CoverCell.self)
    cell.image.setImage(from: addresses[row])
    return cell
  }
}

@MainActor
func showCovers(of addresses: [String]) throws {
  let application = try Application(title: "Covers")
  let covers = Covers(addresses: addresses)
  let list = ListView()
  list.rowHeight = 160
  list.dataSource = covers
  application.window.rootView = list
  application.run()
}

@MainActor
func runCovers(of addresses: [String]) {
  do {
    try showCovers(of: addresses)
  } catch {
    print("Covers: \(error)")
    exit(1)
  }
}

@MainActor
final class Signs: ListViewDataSource {
  let list = ListView()
  private let feed: Feed
  private var items: Feed.Items

  init(_ location: String) throws {
    feed = try Feed(location)
    items = feed.items
    list.rowHeight = 160
    list.dataSource = self
    feed.onUpdate = { [weak self] in self?.show($0) }
    feed.startUpdates(every: 15 * 60)
  }

  private func show(_ changes: ListChanges) {
    list.apply(changes) { items = feed.items }
  }

  func numberOfRows(in listView: ListView) -> Int { items.count }

  func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
    let cell = listView.dequeueCell(CoverCell.self)
    cell.image.setImage(from: items[row].url)
    return cell
  }
}

@MainActor
func showInTurn(_ addresses: [String], in cover: ImageView, of window: Window) -> WindowTimer {
  var options = SlotOptions()
  options.placeholderPolicy = .keepsPrevious
  var next = 0
  return window.every(10) { [weak cover] in
    cover?.setImage(from: addresses[next], options: options)
    next = (next + 1) % addresses.count
  }
}

func writeDiagnostics(to write: @escaping @Sendable (String) -> Void) {
  DiagnosticLog.handler = { message in write("\(message)") }
}

func sizes(of addresses: [String]) async throws -> [Size] {
  let downloader = bootstrap()
  var sizes: [Size] = []
  for address in addresses {
    let response = try await downloader.image(for: address)
    sizes.append(response.image.size)
  }
  return sizes
}

@MainActor
func show(_ address: String, in cover: ImageView, failure: Image) {
  var options = SlotOptions()
  options.placeholderPolicy = .keepsPrevious
  options.transition = .crossDissolve(0.5)
  options.failureImage = failure
  cover.setImage(from: address, options: options) { result in
    if case .failure(let error) = result, error != .cancelled { print(error) }
  }
}

struct Iris: TransitionDrawing {
  nonisolated func draw(_ scene: TransitionScene, into list: inout DrawList) {
    if let old = scene.old { list.draw(old) }
    let margin = (1 - scene.progress) / 2
    let opening = scene.rect.inset(
      by: Insets(
        top: scene.rect.height * margin, left: scene.rect.width * margin,
        bottom: scene.rect.height * margin, right: scene.rect.width * margin))
    list.enter(origin: .zero, opacity: 1, clip: opening)
    if let new = scene.new { list.draw(new) }
    list.leave()
  }
}

@MainActor
func open(_ address: String, in cover: ImageView) {
  var options = SlotOptions()
  options.transition = .custom(Iris(), duration: 0.5)
  options.transitionsBySource = [.memory: .slide(.left)]
  cover.setImage(from: address, options: options)
}

@MainActor
func showEarly(_ address: String, in cover: ImageView) throws {
  var request = try ImageRequest(address)
  request.progressive = .scans
  cover.setImage(from: request)
}

@MainActor
func decorate(_ play: Button) {
  play.setImage(from: "https://example.com/play.png", for: .normal)
  play.setImage(from: "https://example.com/pause.png", for: .selected)
  play.setBackgroundImage(from: "https://example.com/wood.jpg", for: .normal)
}

func thumbnail(of address: String) async throws -> Image {
  var request = try ImageRequest(address)
  request.targetSize = DecodeTarget(width: 128, height: 128)
  request.transforms = [.circle()]
  request.priority = .low
  return try await ImageDownloader.shared.image(for: request).image
}

@MainActor
func kiosk(imagesIn folder: String) throws -> Application {
  var limits = DiskImageCache.Limits()
  limits.bytes = 1 << 30
  var configuration = Application.Configuration()
  configuration.dataCache = DiskImageCache(directory: folder, limits: limits)
  configuration.downloader.freshness.staleWhileRevalidating = 86400
  return try Application(configuration: configuration)
}

@MainActor
func show(_ address: String, in cover: ImageView, with note: Label) {
  cover.setImage(from: address) { result in
    guard case .success(let response) = result else { return }
    note.text = response.freshness.age.map { "\($0) old" } ?? ""
  }
}

func signage(ca: String, images: URL, password: String) -> CurlTransport.Configuration {
  var transport = CurlTransport.Configuration()
  transport.trust.certificateAuthorities = ca
  transport.trust.pinnedKeys = ["cdn.example": ["sha256//YhKJKSzoTt2b5FP18fvpHo7fJYqQCjAa3HWY3tvRMwE="]]
  transport.proxy = .environment
  transport.credentials = [.digest(user: "kiosk", password: password, origin: images)]
  transport.cookies = CookieJar()
  transport.redirects.decide = { $0.target.host() == $0.source.host() ? .follow : .refuse }
  return transport
}

func gallery(token: @escaping @Sendable () async throws -> String) -> ImageDownloader.Configuration {
  var configuration = ImageDownloader.Configuration()
  configuration.requests.modifier = { request in
    var request = request
    request.headers["Authorization"] = "Bearer \(try await token())"
    return request
  }
  configuration.responses.acceptance.contentTypes = ["image/jpeg", "image/png", "image/webp"]
  configuration.responses.bodyModifier = { bytes, _ in bytes.map { $0 ^ 0x5A } }
  configuration.retries = RetryPolicy(limit: 4, delay: 1)
  return configuration
}

@MainActor
func printWarnings(of application: Application) {
  for warning in application.host.warnings { print(warning) }
}

final class DownloadCell: ListCell {
  let image = ImageView()
  let bar = ProgressView()

  func show(_ address: String) {
    image.setImage(from: address) { [weak self] _ in self?.bar.isHidden = true }
    bar.isHidden = !image.isLoadingImage
  }
}

@MainActor
func kiosk() throws -> Application {
  var configuration = Application.Configuration()
  configuration.dataCache = LayeredImageCache(
    directory: "/var/cache/kiosk", seeds: ["/usr/share/kiosk/images"])
  configuration.pixelCache = DiskPixelCache(directory: "/var/cache/kiosk")
  return try Application(configuration: configuration)
}

@MainActor
func kioskWithNetworkSeed() throws -> Application {
  var policies = LayeredImageCache.Policies()
  policies.lookups = .concurrent
  var configuration = Application.Configuration()
  configuration.dataCache = LayeredImageCache(
    layers: [DiskImageCache(directory: "/var/cache/kiosk"), DiskImageCache(seed: "/mnt/images")],
    policies: policies)
  configuration.pixelCache = DiskPixelCache(directory: "/var/cache/kiosk")
  return try Application(configuration: configuration)
}
