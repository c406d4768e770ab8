import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Suites whose slots show an indicator while they load.
protocol IndicatorSlots {
  var bench: SlotBench { get }
  var recorder: CompletionRecorder { get }
}

extension IndicatorSlots {
  func options(_ indicator: SlotOptions.Indicator) -> SlotOptions {
    var options = bench.options
    options.indicator = indicator
    return options
  }

  func load(_ view: ImageView, _ indicator: SlotOptions.Indicator) {
    bench.window.update(at: bench.window.now)
    view.setImage(from: "http://a.test/1", options: options(indicator), completion: recorder.completion)
  }

  var commands: [DrawList.Command] { bench.window.drawList(for: bench.window.bounds).commands }

  func receive(_ transfer: FakeTransfer, _ fraction: Double, of total: Int = 1000) async {
    transfer.send(Array(repeating: 0, count: Int(Double(total) * fraction)))
    await drainMainQueue()
  }
}
