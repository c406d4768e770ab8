import FoundationEssentials
import Testing
import VitrineGraphics

@testable import VitrineLoading

/// The identities of requests and of images: the properties that count, and those that do not.
@Suite struct IdentityTests {
  private func identity(_ change: (inout ImageRequest) -> Void = { _ in }) -> RequestIdentity {
    var changed = request("a.jpg?x=1")
    change(&changed)
    return RequestIdentity(changed)
  }

  @Test func requestFitsInAnExistentialWithoutABox() {
    // An existential stores up to three words inline.
    #expect(MemoryLayout<ImageRequest>.size <= 3 * MemoryLayout<Int>.size)
  }

  @Test(arguments: [
    ("file:///a.jpg", true), ("FILE:///a.jpg", true), ("data:,a", true), ("Data:,a", true),
    ("http://data/a.jpg", false), ("https://a.test/file:", false), ("files:///a.jpg", false), ("file", false),
    ("dat:a", false), ("a.jpg", false), (":file", false),
  ])
  func fileAndDataURLsAreLocal(text: String, isLocal: Bool) throws {
    let url = try #require(URL(string: text))
    #expect(url.isLocal == isLocal)
    let remote = try #require(URL(string: "http://a.test/a.jpg"))
    // A key of a filter does not decide.
    for key in [nil, remote, URL(filePath: "/a.jpg")] {
      #expect(RequestIdentity(url: url, headers: [:], key: key).isLocal == isLocal)
    }
  }

  @Test func copiesOfARequestChangeIndependently() {
    let original = request("a.jpg")
    var copy = original
    copy.headers["Accept"] = "image/webp"
    copy.limits.pixels = 1
    copy.transforms = [.circle()]
    copy.url = request("b.jpg").url
    #expect(original == request("a.jpg"))
    #expect(copy.headers["Accept"] == "image/webp")
    #expect(copy.limits.pixels == 1)
    #expect(copy.transforms.count == 1)
    #expect(RequestIdentity(copy).url == "http://a.test/b.jpg")
  }

  @Test func requestPropertiesAreStoredIndependently() {
    var data = request()
    data.keepsData = true
    #expect(data.keepsData)

    var progressive = request()
    progressive.progressive = .blurred
    #expect(progressive.progressive == .blurred)

    var limits = request()
    limits.limits.pixels = 7
    #expect(limits.limits.pixels == 7)

    var cache = request()
    cache.cache = .diskOnly
    #expect(cache.cache == .diskOnly)
    #expect(request().cache == .downloader)
  }

  @Test func requestsForTheSameURLHaveTheSameIdentity() {
    #expect(identity() == identity())
    #expect(identity().hashValue == identity().hashValue)
    #expect(identity().url == "http://a.test/a.jpg?x=1")
  }

  @Test func cacheKeyIsTheSameInEveryProcess() {
    let signedIn = identity {
      $0.headers["accept"] = "image/webp"
      $0.headers["AUTHORIZATION"] = "Bearer hidden"
      $0.headers["X-Other"] = "does not count"
    }

    #expect(identity().cacheKey == "f14555a5107cbb23792b24c47e955175739cff721344195e1bba54f9742ac3a6")
    #expect(
      signedIn.onDisk(trust: "pinned").cacheKey
        == "060766e9bfb36eece1859a8fa02069e00d6a017f8b666a93468f9b5ed640dd9a")
  }

  @Test func cacheKeysDifferExactlyIfIdentitiesDo() {
    let identities: [RequestIdentity] = [
      identity(), identity { $0.url = request("a.jpg?x=1#part").url },
      identity { $0.headers["X-Other"] = "1" }, identity { $0.priority = .low },
      identity { $0.url = request("a.jpg?x=2").url },
      identity { $0.url = request("a.jpg?x=1Accepta").url },
      identity { $0.headers["Accept"] = "a" }, identity { $0.headers["Accept"] = "b" },
      identity { $0.headers["Accept-Language"] = "a" },
      identity { $0.headers["Cookie"] = "a" },
      identity { $0.headers["Cookie"] = "aAccepta" },
      identity().onDisk(trust: "a"), identity().onDisk(trust: "b"), identity().onDisk(trust: ""),
      identity { $0.headers["X-Other"] = "1" }.addingHeaders(named: ["x-other"]),
    ]

    for a in identities {
      for b in identities { #expect((a.cacheKey == b.cacheKey) == (a == b), "\(a.url) \(b.url)") }
    }
  }

  @Test func cacheKeyContainsNoSecretAndMayNameAFile() {
    let secret = identity {
      $0.url = URL(string: "http://kiosk:hidden@a.test/../a.jpg?token=hidden") ?? $0.url
      $0.headers["Authorization"] = "hidden"
    }.onDisk(trust: "hidden")

    #expect(!secret.cacheKey.contains("hidden"))
    #expect(secret.cacheKey.utf8.count == 64)
    #expect(secret.cacheKey.allSatisfy { "0123456789abcdef".contains($0) })
  }

  @Test func identityIgnoresTheFragment() throws {
    let text = "http://a.test/a.jpg?x=1"
    for fragment in ["#", "#part", "#a#b", "#\u{E9}"] {
      #expect(RequestIdentity(try ImageRequest(text + fragment)) == identity())
    }
    #expect(RequestIdentity(try ImageRequest("http://a.test/#a.jpg?x=1")) != identity())
  }

  @Test(
    "AF-C23 headers that change the response are part of the identity, in any case and order; others are not (deviates)"
  )
  func identityContainsHeadersThatChangeTheResponse() {
    for name in RequestIdentity.headerNames {
      let one = identity { $0.headers[name] = "1" }
      #expect(one != identity())
      #expect(one != identity { $0.headers[name] = "2" })
      #expect(one == identity { $0.headers[name.uppercased()] = "1" })
    }
    #expect(
      identity { $0.headers = ["Accept": "1", "Cookie": "2"] }
        == identity { $0.headers = ["cookie": "2", "X-Tag": "3", "accept": "1"] })
    #expect(identity { $0.headers = ["Accept": "1"] } != identity { $0.headers = ["Cookie": "1"] })
    #expect(identity { $0.headers["User-Agent"] = "1" } == identity())
  }

  @Test(arguments: ["Authorization", "Cookie", "Accept", "Accept-Language"])
  func eachHeaderThatChangesTheResponseIsPartOfTheIdentity(name: String) {
    let one = identity { $0.headers[name] = "1" }

    #expect(one != identity())
    #expect(one != identity { $0.headers[name] = "2" })
    #expect(one == identity { $0.headers[name.lowercased()] = "1" })
  }

  // MARK: Headers named by Vary

  private var original: RequestIdentity {
    identity { $0.headers = ["X-B": "2", "Accept": "image/*", "X-A": "1", "X-C": "3"] }
  }

  @Test func varyHeadersCountInAnyOrder() {
    let both = original.addingHeaders(named: ["x-a", "x-b"])

    #expect(both != original)
    #expect(original.addingHeaders(named: ["x-b"]).addingHeaders(named: ["x-a"]) == both)
    #expect(original.addingHeaders(named: ["x-a"]).addingHeaders(named: ["x-b"]) == both)
    #expect(original.addingHeaders(named: ["x-a"]) != both)
  }

  @Test func identityOnDiskExcludesVaryHeaders() {
    #expect(original.addingHeaders(named: ["x-a", "x-b"]).withoutVarying == original)
    #expect(original.withoutVarying == original)
    #expect(
      original.addingHeaders(named: ["x-a"]).withoutVarying != identity(), "headers that always count stay")
  }

  @Test func identityAsSentContainsTheVaryHeaders() {
    let headers: HTTPHeaders = ["X-A": "1"]
    let named = RequestIdentity(url: url("a.jpg?1"), headers: headers, key: url("a.jpg")).addingHeaders(
      named: ["x-a"])

    #expect(
      named.asSent == RequestIdentity(url: url("a.jpg?1"), headers: headers).addingHeaders(named: ["x-a"]))
    #expect(named.asSent != RequestIdentity(url: url("a.jpg?1"), headers: headers))
  }

  @Test func identityIgnoresPriorityPolicySizeAndLimits() {
    #expect(identity { $0.priority = .high } == identity())
    #expect(identity { $0.cachePolicy = .reload } == identity())
    #expect(identity { $0.targetSize = DecodeTarget(width: 1, height: 1) } == identity())
    #expect(identity { $0.limits.side = 1 } == identity())
  }

  @Test func additionalIdentifierIsASeparateField() {
    let glued = ImageIdentity(request("ab"), additionalIdentifier: nil)

    #expect(ImageIdentity(request("a"), additionalIdentifier: "b") != glued)
    #expect(ImageIdentity(request("a")) != ImageIdentity(request("a"), additionalIdentifier: ""))
    #expect(
      ImageIdentity(request("a"), additionalIdentifier: "b")
        == ImageIdentity(request("a"), additionalIdentifier: "b"))
  }

  @Test func transformsIdentifyAnImageUnlessAnIdentifierIsGiven() {
    let round = request(transforms: [.circle()])
    let roundAndGrey = request(transforms: [.circle(), .grayscale()])

    #expect(ImageIdentity(round) != ImageIdentity(request()))
    #expect(ImageIdentity(round) != ImageIdentity(roundAndGrey))
    #expect(
      ImageIdentity(roundAndGrey) != ImageIdentity(request(transforms: [.grayscale(), .circle()])),
      "the order of the transforms counts")
    #expect(ImageIdentity(round) == ImageIdentity(request(transforms: [.circle()])))
    #expect(
      ImageIdentity(round, additionalIdentifier: "x")
        == ImageIdentity(request(), additionalIdentifier: "x"))
    #expect(
      ProcessedImageKey(round, additionalIdentifier: "x")
        != ProcessedImageKey(request(), additionalIdentifier: "x"),
      "the work differs, so the keys differ")
  }
}
