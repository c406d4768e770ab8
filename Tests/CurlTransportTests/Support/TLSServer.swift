import FoundationEssentials
import Glibc
import Testing
import VitrineTesting

/// nginx on loopback with HTTP/2 and a new self-signed certificate.
final class TLSServer {
  /// True if nginx and openssl are installed.
  static let isAvailable = ChildProgram.areInstalled("/usr/sbin/nginx", "/usr/bin/openssl")

  /// An image of 60,000 bytes for `FakeDecoder`. The first 30 KiB of a `/large` response arrive at once, the rest at
  /// 2 KiB/s, so a range request for the second half is fast while the whole body takes about 15 s.
  static let largeBody: [UInt8] = {
    let image = FakeDecoder.encodedImage(width: 64, height: 48)
    return image + [UInt8](repeating: UInt8(ascii: " "), count: 60_000 - image.count)
  }()

  /// About 1 MB of text.
  static let longBody = (0..<150_000).map { "\($0)\n" }.joined()

  /// The flaw of the certificate, apart from being self-signed.
  enum Flaw {
    case none, expired, notYetValid
  }

  var port: UInt16 { program.ports[0] }
  /// The port that speaks only TLS 1.1.
  var oldPort: UInt16 { program.ports[1] }
  var url: String { "https://\(host):\(port)" }
  private let host: String
  /// The path of the certificate, which is its own authority.
  var certificate: String { "\(program.folder)/cert.pem" }

  private let program: ChildProgram

  /// Starts a server that answers `/` with `hello`, `/private` for the user `kiosk` with the password `secret`,
  /// `/large` slowly, `/zeros` with 256 MiB, `/unstated` with `longBody` and a strong ETag but no length, and
  /// `/session` with `r` on a new connection that resumes a TLS session. The server ends a connection after `requests`
  /// requests. The certificate is for `host`, localhost or its address.
  init(
    host: String = "localhost", requestsPerConnection requests: Int = 1000, speaksHTTP2: Bool = true,
    flaw: Flaw = .none
  ) throws {
    self.host = host
    program = try ChildProgram(ports: 3, reusingPort: true)
    let folder = program.folder
    try ChildProgram.run([
      "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-nodes", "-days", "2", "-subj", "/CN=localhost",
      "-addext", "subjectAltName=\(host == "localhost" ? "DNS" : "IP"):\(host)",
      "-keyout", "\(folder)/key.pem", "-out", "\(folder)/cert.pem",
    ])
    if flaw == .notYetValid { try Self.makeCertificateOfTheFuture(program, host: host) }
    if flaw == .expired {
      try ChildProgram.run([
        "/usr/bin/openssl", "x509", "-in", "\(folder)/cert.pem", "-signkey", "\(folder)/key.pem",
        "-days", "-1", "-out", "\(folder)/cert.pem",
      ])
    }
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(folder)/t;"
    }
    try ChildProgram.run(["/usr/bin/truncate", "-s", "256M", "\(folder)/zeros"])
    try program.write("kiosk:{PLAIN}secret\n", to: "users")
    try program.write(String(decoding: Self.largeBody, as: UTF8.self), to: "large")
    try program.write(Self.longBody, to: "unstated")
    try program.write(
      """
      daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/log;
      events { worker_connections 256; }
      http {
        access_log off; \(temporary.joined(separator: " "))
        ssl_certificate \(folder)/cert.pem; ssl_certificate_key \(folder)/key.pem;
        ssl_session_cache shared:tls:1m;
        keepalive_requests \(requests);
        server {
          listen 127.0.0.1:\(program.ports[0]) ssl \(speaksHTTP2 ? "http2" : "") reuseport;
          location / { return 200 "hello"; }
          location /down { return 302 http://localhost:\(program.ports[0])/; }
          location /private {
            auth_basic "pictures"; auth_basic_user_file \(folder)/users; try_files /none @hello;
          }
          location @hello { return 200 "hello"; }
          location /echo {
            set $sent "authorization=$http_authorization cookie=$http_cookie key=$http_x_api_key";
            return 200 "$sent referer=$http_referer range=$http_range agent=$http_user_agent";
          }
          location /large { root \(folder); limit_rate_after 30k; limit_rate 2k; }
          location /zeros { root \(folder); }
          location /unstated {
            proxy_pass http://127.0.0.1:\(program.ports[2]); add_header ETag '"one"';
          }
          location /session { keepalive_timeout 0; return 200 $ssl_session_reused; }
        }
        server {
          listen 127.0.0.1:\(program.ports[1]) ssl reuseport;
          ssl_protocols TLSv1.1; ssl_ciphers ALL:@SECLEVEL=0;
        }
        server {
          listen 127.0.0.1:\(program.ports[2]) reuseport;
          # With server-side includes, the length of a response is not known beforehand.
          location / { root \(folder); ssi on; ssi_types *; }
        }
      }
      """, to: "nginx.conf")
    try start()
  }

  /// Starts the stopped server again on the same ports.
  func start() throws {
    let folder = program.folder
    try program.start(["/usr/sbin/nginx", "-c", "\(folder)/nginx.conf", "-e", "\(folder)/log"])
  }

  func stop() { program.stop() }

  /// Replaces the certificate by a certificate with the same key that is valid from 2099 on. Among openssl's commands,
  /// only `ca` can set the start of the validity.
  private static func makeCertificateOfTheFuture(_ program: ChildProgram, host: String) throws {
    let folder = program.folder
    try program.write("", to: "index")
    try program.write(
      """
      [ca]
      default_ca = own
      [own]
      database = \(folder)/index
      new_certs_dir = \(folder)
      rand_serial = yes
      default_md = sha256
      policy = subject
      x509_extensions = names
      [subject]
      commonName = supplied
      [names]
      basicConstraints = CA:TRUE
      subjectAltName = \(host == "localhost" ? "DNS" : "IP"):\(host)

      """, to: "ca.cnf")
    try ChildProgram.run([
      "/usr/bin/openssl", "req", "-new", "-key", "\(folder)/key.pem", "-subj", "/CN=localhost",
      "-out", "\(folder)/request.pem",
    ])
    try ChildProgram.run([
      "/usr/bin/openssl", "ca", "-batch", "-selfsign", "-notext", "-config", "\(folder)/ca.cnf",
      "-keyfile", "\(folder)/key.pem", "-in", "\(folder)/request.pem", "-out", "\(folder)/cert.pem",
      "-startdate", "20990101000000Z", "-enddate", "20991231000000Z",
    ])
  }

  /// Returns the pin of the certificate's key.
  func pin() throws -> String {
    let folder = program.folder
    try ChildProgram.run([
      "/bin/sh", "-c",
      """
      cd \(folder) && openssl x509 -in cert.pem -pubkey -noout | openssl pkey -pubin -outform der \
      | openssl dgst -sha256 -binary | base64 >pin
      """,
    ])
    let digest = try Data(contentsOf: URL(filePath: "\(folder)/pin"))
    return "sha256//" + String(decoding: digest.dropLast(), as: UTF8.self)
  }
}
