import FoundationEssentials
import Glibc

/// Qt Quick, which shows the images of `FirstScreen` in tiles of the same size, with the program `qmlscene`, off screen
/// and drawn by software.
struct QtQuick {
  private let program = "/usr/bin/qmlscene"

  /// Throws `NotMeasurable` if qmlscene is not installed.
  init() throws(NotMeasurable) {
    guard access(program, X_OK) == 0 else {
      throw NotMeasurable("qmlscene is not there: apt-get install qmlscene qml-module-qtquick2")
    }
  }

  /// Returns the time in seconds from the first request until all images are loaded, on one core. Throws
  /// `NotMeasurable` if qmlscene shows no images here, for example because a module is missing.
  func secondsOnOneCore(_ base: String, count: Int, tile: Int) throws -> Double {
    try ScratchFolder.use("qt-quick") { folder in
      let scene = folder + "/tiles.qml"
      try Data(Self.scene(base, count: count, tile: tile).utf8).write(to: URL(filePath: scene))
      let command = """
        export QT_QPA_PLATFORM=offscreen QT_QUICK_BACKEND=software
        exec taskset -c 0 \(program) '\(scene)' 2>&1
        """
      let child = try ChildProcess("/bin/sh", ["-c", command])
      var last = "no output"
      while let line = child.line() {
        last = line
        let words = line.split(separator: " ")
        if words.count == 3, words[1] == "loaded", let milliseconds = Double(words[2]) {
          _ = child.end()
          return milliseconds / 1000
        }
      }
      throw NotMeasurable("qmlscene ends without a time: \(last)")
    }
  }

  /// The scene. The empty window is shown before the first request, as in `FirstScreenRun`, here for half a second.
  private static func scene(_ base: String, count: Int, tile: Int) -> String {
    """
    import QtQuick 2.15

    Item {
      id: screen
      width: 1280; height: 800
      property int count: 0
      property int missing: \(count)
      property double began

      function ended(isLoaded) {
        // After a failure, some images stay missing, so that no time is reported.
        if (isLoaded) { missing -= 1 } else { Qt.quit() }
        if (missing === 0) { console.log("loaded " + (Date.now() - began)); Qt.quit() }
      }

      Timer {
        interval: 500; running: true
        onTriggered: { screen.began = Date.now(); screen.count = \(count) }
      }
      Repeater {
        model: screen.count
        Image {
          x: index % Math.floor(1280 / \(tile)) * \(tile); y: Math.floor(index / Math.floor(1280 / \(tile))) * \(tile)
          width: \(tile); height: \(tile)
          sourceSize: Qt.size(\(tile), \(tile)); fillMode: Image.PreserveAspectCrop
          asynchronous: true; cache: false
          source: "\(base)/" + ("00" + index).slice(-3) + ".jpg"
          onStatusChanged: {
            if (status === Image.Ready) screen.ended(true)
            if (status === Image.Error) screen.ended(false)
          }
        }
      }
    }
    """
  }
}
