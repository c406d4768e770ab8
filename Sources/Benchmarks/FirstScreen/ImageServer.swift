import FoundationEssentials
import Glibc
import VitrineGalleryServer

/// A server process that serves the images over HTTP on this machine.
struct ImageServer {
  enum Kind: String { case gallery, nginx }

  /// The URL of the images, without a trailing slash.
  let baseURL: String
  private let process: Running

  /// The server process, which ends when this value is released.
  private enum Running {
    case gallery(ChildProcess)
    case nginx(Nginx)
  }

  init(_ kind: Kind, folder: String) throws {
    switch kind {
    case .gallery:
      let child = try ChildProcess(.server, [folder])
      process = .gallery(child)
      let line = child.line() ?? "the gallery server does not start"
      guard line.hasPrefix("http") else { throw BenchmarkError(line) }
      baseURL = line
    case .nginx:
      let parent = URL(filePath: folder).deletingLastPathComponent()
      let nginx = try Nginx(folder: folder, workingFolder: parent.path + "/nginx")
      baseURL = "http://127.0.0.1:\(nginx.port)/gallery"
      process = .nginx(nginx)
    }
  }

  /// Runs the gallery server in the child process: prints the URL, or the reason for a failure, and serves until
  /// standard input ends, which happens when the parent ends.
  static func serve(_ arguments: [String]) {
    do {
      let server = try GalleryServer(images: arguments.first ?? "")
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
