/// The kinds of input that a user may have, each with a script that drives all screens by this input alone.
///
/// Times are those of a manual clock. Each part of a script ends with something definite that the input has caused.
enum InputKind: String, CaseIterable, Sendable {
  case finger, mouse, keys, gamepad

  /// The script for a feed of 15 images, “Photo 1” to “Photo 15”, in a window of 480x640 points.
  var script: String {
    switch self {
    case .finger: Self.fingerScript
    case .mouse: Self.mouseScript
    case .keys: Self.keyScript
    case .gamepad: Self.gamepadScript
    }
  }

  private static let throwUp = """
    drag 240 500 240 200 80
    wait idle
    drag 240 500 240 200 80
    wait idle
    """

  private static let fingerScript = """
    clock manual
    wait idle
    touch on "Photo 2"
    wait idle
    expect "Viewer: Photo 2" state loaded
    drag 240 150 240 500 200
    wait idle
    touch 240 200
    wait idle
    expect "Viewer: Photo 1" state loaded
    touch on "Back"
    wait idle
    screen list
    wait idle
    hold on "Photo 2"
    expect "Photo 2" state selected
    \(throwUp)
    wait for "Photo 15" 1
    touch on "Photo 15"
    wait idle
    expect "Viewer: Photo 15" state loaded
    pinch 240 320 100 250 200
    wait idle
    expect "Viewer: Photo 15" state selected
    pinch 240 320 300 60 200
    wait idle
    expect "Viewer: Photo 15" state normal
    drag 100 320 400 330 150
    wait idle
    expect "Viewer: Photo 14" state loaded
    drag 240 150 240 500 200
    wait idle
    touch on "Grid"
    wait idle
    expect "Grid" state selected
    \(throwUp)
    hold on "Photo 15"
    expect "Photo 15" state selected
    touch on "Buttons"
    wait idle
    touch on "Favorite"
    wait idle
    expect "Favorite" state selected
    touch on "Transitions"
    wait idle
    touch on "Fade again"
    advance 60 ms
    wait loaded
    advance 100 ms
    expect "Fade" state changing
    touch on "Animations"
    wait idle
    touch on "2 ×"
    wait idle
    expect "2 ×" state selected
    touch on "Indicators"
    advance 70 ms
    touch on "Spinner again"
    expect "Spinner again" state highlighted
    advance 100 ms
    expect "Spinner again" state normal
    """

  private static let mouseScript = """
    clock manual
    wait idle
    tap on "Photo 2"
    wait idle
    expect "Viewer: Photo 2" state loaded
    tap on "Back"
    wait idle
    screen list
    wait idle
    move 100 300
    expect "Photo 2" state normal
    press on "Photo 2"
    advance 600 ms
    release
    expect "Photo 2" state selected
    wheel on "Photo 2" -30 ctrl
    wait for "Photo 1" 1
    wheel on "Photo 2" -30
    wait idle
    tap on "Photo 15"
    wait idle
    expect "Viewer: Photo 15" state loaded
    wheel 240 320 2 ctrl
    wait idle
    expect "Viewer: Photo 15" state selected
    wheel 240 320 -2
    wait idle
    expect "Viewer: Photo 15" state normal
    press 100 320
    advance 20 ms
    move 200 320
    advance 20 ms
    move 400 330
    release
    wait idle
    expect "Viewer: Photo 14" state loaded
    wheel 240 320 -1 shift
    wait idle
    expect "Viewer: Photo 15" state loaded
    tap on "Back"
    wait idle
    tap on "Grid"
    wait idle
    expect "Grid" state selected
    wheel on "Photo 2" -30
    wait idle
    press on "Photo 15"
    advance 600 ms
    release
    expect "Photo 15" state selected
    tap on "Buttons"
    wait idle
    press on "Favorite"
    expect "Favorite" state highlighted
    release
    expect "Favorite" state selected
    tap on "Transitions"
    wait idle
    tap on "Fade again"
    wait loaded
    advance 100 ms
    expect "Fade" state changing
    tap on "Animations"
    wait idle
    tap on "2 ×"
    expect "2 ×" state selected
    tap on "Indicators"
    advance 20 ms
    press on "Spinner again"
    expect "Spinner again" state highlighted
    release
    expect "Spinner again" state normal
    """

  private static let keyScript = """
    clock manual
    wait idle
    key right
    key right
    expect "Photo 2" state focused
    key enter
    wait idle
    expect "Viewer: Photo 2" state loaded
    key escape
    wait idle
    key space
    expect "Photo 1  ·  Paused" role text
    screen list
    wait idle
    key tab
    \(Array(repeating: "key down", count: 15).joined(separator: "\n"))
    wait idle
    expect "Photo 15" state focused
    key shift+enter
    expect "Photo 15" state selected
    key enter
    wait idle
    expect "Viewer: Photo 15" state loaded
    key +
    wait idle
    expect "Viewer: Photo 15" state selected
    key 0
    wait idle
    expect "Viewer: Photo 15" state normal
    key left
    wait idle
    expect "Viewer: Photo 14" state loaded
    key escape
    wait idle
    screen grid
    wait idle
    key tab
    key end
    wait idle
    expect "Photo 15" state focused
    key shift+enter
    expect "Photo 15" state selected
    screen buttons
    wait idle
    key tab
    key tab
    key tab
    key tab
    expect "Favorite" state focused
    key enter
    expect "Favorite" state selected
    screen transitions
    wait idle
    key tab
    expect "All again" state focused
    key space
    wait loaded
    advance 100 ms
    expect "Fade" state changing
    screen animations
    wait idle
    key tab
    key tab
    expect "Frames" state focused
    key right
    key tab
    key enter
    expect "½ ×" state selected
    screen indicators
    advance 20 ms
    key tab
    expect "Spinner again" state focused
    key enter
    key end
    advance 3000 ms
    wait for "Rows again" 1
    """

  private static let gamepadScript = """
    clock manual
    wait idle
    pad right
    pad right
    expect "Photo 2" state focused
    pad a
    wait idle
    expect "Viewer: Photo 2" state loaded
    pad b
    wait idle
    pad x
    expect "Photo 1  ·  Paused" role text
    screen list
    wait idle
    pad rightShoulder
    stick 0 1
    advance 2500 ms
    stick 0 0
    wait idle
    expect "Photo 15" state focused
    pad a
    wait idle
    expect "Viewer: Photo 15" state loaded
    pad rightTrigger
    wait idle
    expect "Viewer: Photo 15" state selected
    pad leftTrigger
    wait idle
    expect "Viewer: Photo 15" state normal
    pad left
    wait idle
    expect "Viewer: Photo 14" state loaded
    pad b
    wait idle
    screen grid
    wait idle
    pad rightShoulder
    pad right
    expect "Photo 2" state focused
    pad y
    expect "Photo 2" state selected
    pad a
    wait idle
    expect "Viewer: Photo 2" state loaded
    pad b
    wait idle
    screen buttons
    wait idle
    pad rightShoulder
    pad right
    pad right
    pad right
    expect "Favorite" state focused
    pad a
    expect "Favorite" state selected
    screen transitions
    wait idle
    pad rightShoulder
    expect "All again" state focused
    pad x
    wait loaded
    advance 100 ms
    expect "Fade" state changing
    screen animations
    wait idle
    pad rightShoulder
    pad rightShoulder
    expect "Frames" state focused
    pad right
    pad rightShoulder
    pad a
    expect "½ ×" state selected
    screen indicators
    advance 20 ms
    pad rightShoulder
    expect "Spinner again" state focused
    stick 0 1
    advance 3000 ms
    stick 0 0
    advance 3000 ms
    wait for "Rows again" 1
    """

  /// Drives a slideshow of five images by all kinds of input, one after another.
  static let slideshowScript = """
    clock manual
    wait loaded
    wait idle
    drag 300 100 100 100 100
    wait loaded
    advance 1100 ms
    expect "Photo 2" value "2 of 5"
    touch 200 100
    expect "Photo 2" value "2 of 5, paused"
    touch 200 100
    expect "Photo 2" value "2 of 5"
    wait loaded
    press 300 100
    advance 50 ms
    move 100 100
    release
    wait loaded
    advance 1100 ms
    expect "Photo 3" value "3 of 5"
    tap 200 100
    expect "Photo 3" value "3 of 5, paused"
    tap 200 100
    key left
    wait loaded
    advance 1100 ms
    expect "Photo 2" value "2 of 5"
    key space
    expect "Photo 2" value "2 of 5, paused"
    key enter
    expect "Photo 2" value "2 of 5"
    wait loaded
    pad right
    wait loaded
    advance 1100 ms
    expect "Photo 3" value "3 of 5"
    pad a
    expect "Photo 3" value "3 of 5, paused"
    """
}
