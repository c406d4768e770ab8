import FoundationEssentials
import Testing

/// tinyproxy on loopback, for the user `kiosk` with the password `secret`.
final class TinyProxy {
  static let isAvailable = ChildProgram.areInstalled("/usr/bin/tinyproxy")

  private let program: ChildProgram

  init() throws {
    program = try ChildProgram(ports: 1, reusingPort: false)
    let folder = program.folder
    try program.write(
      """
      Listen 127.0.0.1
      Port \(program.ports[0])
      Timeout 30
      MaxClients 50
      Allow 127.0.0.1
      BasicAuth kiosk secret
      LogFile "\(folder)/log"
      LogLevel Connect
      """, to: "tinyproxy.conf")
    try program.start(["/usr/bin/tinyproxy", "-d", "-c", "\(folder)/tinyproxy.conf"])
  }

  /// Returns the URL of the proxy, without a login if `password` is nil.
  func url(password: String? = "secret") -> String {
    "http://\(password.map { "kiosk:\($0)@" } ?? "")127.0.0.1:\(program.ports[0])"
  }

  var log: String {
    get throws {
      String(decoding: try Data(contentsOf: URL(filePath: "\(program.folder)/log")), as: UTF8.self)
    }
  }
}
