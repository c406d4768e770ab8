import FoundationEssentials
import Glibc
import VitrineGalleryServer

/// Serves the pictures over HTTP on this machine, from a process of its own.
struct PictureServer {
  enum Kind: String {
    case gallery, nginx
  }

  /// Without a slash at the end.
  let baseURL: String
  private let process: Running

  /// Ends when it is let go.
  private enum Running {
    case gallery(ChildProcess)
    case nginx(Nginx)
  }

  init(_ kind: Kind, pictures: PictureSet) throws {
    switch kind {
    case .gallery:
      let child = try ChildProcess(.server, [pictures.folder])
      process = .gallery(child)
      let line = child.line() ?? "the gallery server does not start"
      guard line.hasPrefix("http") else { throw BenchmarkError(line) }
      baseURL = line
    case .nginx:
      let folder = URL(filePath: pictures.folder)
      let nginx = try Nginx(
        folder: pictures.folder, place: folder.deletingLastPathComponent().path + "/nginx")
      baseURL = "http://127.0.0.1:\(nginx.port)/gallery"
      process = .nginx(nginx)
    }
  }

  /// The child's side: prints its URL, or why there is none, and serves until its input ends, which it does
  /// with the parent.
  static func serve(_ arguments: [String]) {
    do {
      let server = try GalleryServer(pictures: arguments.first ?? "")
      print(server.baseURL + "/gallery")
      fflush(nil)
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) > 0 {}
      server.stop()
    } catch {
      print("the gallery server does not start: \(error)")
    }
  }
}
