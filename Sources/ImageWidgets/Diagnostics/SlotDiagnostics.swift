import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// Reports failed loads to the diagnostic log, with the view and the reason.
enum SlotDiagnostics {
  /// Reports a failed load; does nothing for `.cancelled`.
  ///
  /// - Parameter url: The requested URL; nil if no request could be made from the source.
  static func reportFailure(_ error: ImageError, of url: String?, in target: any SlotTarget) {
    if error == .cancelled { return }
    DiagnosticLog.report(
      DiagnosticMessage(
        subject: subject(of: target), text: "\(error)\(url.map { " (\($0.withoutSecrets))" } ?? "")"))
  }

  /// Describes the view by type, label, slot and frame: `ImageView “Cover” at 40,40 320x240`.
  private static func subject(of target: any SlotTarget) -> String {
    guard let view = target.view else { return "a view that is gone" }
    let label = view.accessibilityLabel.map { " “\($0)”" } ?? ""
    let slot =
      switch target.key {
      case .contents: ""
      case .highlighted: ", highlighted image"
      case .button(let slot, let state): ", \(slot) for \(state)"
      }
    let frame = view.window == nil ? view.frame : view.frameInWindow
    func whole(_ value: Double) -> String {
      value.isFinite ? "\(Int(max(-1e9, min(1e9, value))))" : "\(value)"
    }
    let position = "at \(whole(frame.minX)),\(whole(frame.minY)) \(whole(frame.width))x\(whole(frame.height))"
    return "\(type(of: view))\(label)\(slot) \(position)\(view.window == nil ? " outside of a window" : "")"
  }
}
