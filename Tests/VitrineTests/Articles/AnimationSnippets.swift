import Vitrine

// The code of the article about animated images and cameras, compiled but not run; see `ArticleSnippets.swift`.

@MainActor
func showWeather(in panel: View) {
  let map = ImageView(frame: Rect(x: 0, y: 0, width: 320, height: 240))
  map.setImage(from: "https://example.com/clouds.gif")
  panel.addSubview(map)
}

@MainActor
func slowDown(_ view: ImageView) {
  guard let player = view.animationPlayer else { return }
  player.playbackRate = 0.5
  player.playbackMode = .bounce
  player.loopCount = 3
  player.endHandler = { [weak view] in view?.imageURL = nil }
}

@MainActor
func scrub(_ view: ImageView, to frame: Int) {
  view.pause()
  view.seek(toFrame: frame)
}

func stillPoster(_ address: String) throws -> ImageRequest {
  var request = try ImageRequest(address)
  request.animation = .firstFrame
  return request
}

func untrusted(_ address: String) throws -> ImageRequest {
  var request = try ImageRequest(address)
  request.limits.frames = 1000
  request.limits.secondsPerFrame = 0.5
  return request
}

@MainActor
func showDoor(in panel: View) {
  let door = ImageView(frame: Rect(x: 0, y: 0, width: 640, height: 360))
  door.setImage(from: "http://camera.local/video.mjpg", options: .live)
  panel.addSubview(door)
}

@MainActor
func showRadar(in view: ImageView) {
  view.setImage(from: "https://example.com/radar.png", options: SlotOptions(refreshInterval: 300))
}
