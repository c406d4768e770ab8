import FoundationEssentials
import Glibc

/// Where the demo's own files are.
nonisolated enum Assets {
  /// `VITRINE_ASSETS`, else `/usr/share/vitrine`, else beside the executable.
  static var folder: String {
    if let chosen = getenv("VITRINE_ASSETS") { return String(cString: chosen) }
    let installed = "/usr/share/vitrine"
    if access(installed + "/gallery", R_OK) == 0 { return installed }
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "."
    return URL(filePath: program).deletingLastPathComponent().appending(path: "Assets").path
  }
}
