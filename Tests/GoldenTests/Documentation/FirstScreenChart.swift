import Glibc
import VitrineGraphics
import VitrineWidgets

/// The chart of the README: the time and the memory that Vitrine and its peers take for the first screen.
struct FirstScreenChart {
  private struct Bar {
    let name: String
    /// The middle of the measured times, in seconds.
    let seconds: Double
    let time: String
    /// The peak memory in megabytes.
    let megabytes: Double
    let memory: String
  }

  /// Measured on 2 cores; see the figures in the README.
  private let bars = [
    Bar(name: "Vitrine", seconds: 0.42, time: "0.38–0.46 s", megabytes: 49, memory: "49 MB"),
    Bar(name: "Qt Quick 5.15", seconds: 0.76, time: "0.70–0.82 s", megabytes: 51, memory: "51 MB"),
    Bar(name: "Chromium 156", seconds: 1.85, time: "1.3–2.4 s", megabytes: 970, memory: "970 MB"),
    Bar(name: "Kivy 2.3.1", seconds: 14.9, time: "8.8–21 s", megabytes: 2800, memory: "2.8 GB"),
  ]

  private let accent = Color(hex: 0x4FA3FF)
  private let other = Color(hex: 0x6B7480)

  /// Draws the chart. The lengths of the bars are logarithmic.
  func image() throws -> Bitmap {
    let stage = try Stage(width: 880, height: 236)
    label("First screen: 200 JPEGs of 1600x1200 into 64x64 tiles", x: 24, y: 16, size: 17, on: stage)
    label("time (logarithmic)", x: 160, y: 48, size: 13, color: other, on: stage)
    label("peak memory (logarithmic)", x: 540, y: 48, size: 13, color: other, on: stage)
    for (row, bar) in bars.enumerated() {
      let y = 76 + 38 * Double(row)
      let color = row == 0 ? accent : other
      label(bar.name, x: 24, y: y + 4, size: 15, on: stage)
      draw(length: 240 * log(bar.seconds / 0.2, 100), text: bar.time, color, x: 160, y: y, on: stage)
      draw(length: 200 * log(bar.megabytes / 20, 150), text: bar.memory, color, x: 540, y: y, on: stage)
    }
    return stage.image()
  }

  /// Returns the logarithm of `value` with a base.
  private func log(_ value: Double, _ base: Double) -> Double { Glibc.log(value) / Glibc.log(base) }

  private func draw(length: Double, text: String, _ color: Color, x: Double, y: Double, on stage: Stage) {
    let bar = View()
    bar.backgroundColor = color
    bar.cornerRadius = 4
    stage.add(bar, x: x, y: y, width: length.rounded(), height: 26)
    label(text, x: x + length.rounded() + 10, y: y + 4, size: 14, on: stage)
  }

  private func label(
    _ text: String, x: Double, y: Double, size: Double, color: Color = .white, on stage: Stage
  ) {
    let label = Label()
    label.text = text
    label.font = Font(size: size)
    label.textColor = color
    stage.add(label, x: x, y: y, width: 560, height: size + 6)
  }
}
