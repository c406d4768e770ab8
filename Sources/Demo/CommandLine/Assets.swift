import FoundationEssentials
import Glibc

/// The location of the demo's own files.
nonisolated enum Assets {
  /// The folder in `VITRINE_ASSETS`, or `/usr/share/vitrine` if the gallery is installed there, or `Assets` beside the
  /// executable.
  static var folder: String {
    if let chosen = getenv("VITRINE_ASSETS") { return String(cString: chosen) }
    let installed = "/usr/share/vitrine"
    if access(installed + "/gallery", R_OK) == 0 { return installed }
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "."
    return URL(filePath: program).deletingLastPathComponent().appending(path: "Assets").path
  }
}
