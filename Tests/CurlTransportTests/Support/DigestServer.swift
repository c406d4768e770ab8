import Testing

/// lighttpd on loopback, which serves `/one` to the user `kiosk` with the password `secret` by digest authentication.
final class DigestServer {
  static let isAvailable = ChildProgram.areInstalled("/usr/sbin/lighttpd")

  var url: String { "http://127.0.0.1:\(program.ports[0])" }

  private let program: ChildProgram

  init() throws {
    program = try ChildProgram(ports: 1, reusingPort: false)
    let folder = program.folder
    try program.write("hello", to: "one")
    try program.write("kiosk:secret\n", to: "users")
    try program.write(
      """
      server.document-root = "\(folder)"
      server.bind = "127.0.0.1"
      server.port = \(program.ports[0])
      server.errorlog = "\(folder)/log"
      server.modules = ("mod_auth", "mod_authn_file")
      auth.backend = "plain"
      auth.backend.plain.userfile = "\(folder)/users"
      auth.require = ("/" => ("method" => "digest", "realm" => "pictures", "require" => "valid-user"))
      """, to: "lighttpd.conf")
    try program.start(["/usr/sbin/lighttpd", "-D", "-f", "\(folder)/lighttpd.conf"])
  }
}
