import FoundationEssentials

/// `http://HOST/NAME`.
func url(_ name: String = "a.jpg", host: String = "a.test") -> URL {
  URL(string: "http://\(host)/\(name)") ?? URL(filePath: "/")
}
