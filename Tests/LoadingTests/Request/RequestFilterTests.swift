import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Filters of a downloader for the headers and the cache keys of requests.
@MainActor @Suite(.timeLimit(.minutes(5))) struct RequestFilterTests {
  private func signed(_ signature: Int) -> ImageRequest {
    ImageRequest(url: url("a.jpg?signature=\(signature)"))
  }

  @Test("YY-B25 SD-M7 the image is cached under the filtered key, the real URL is fetched")
  func keyFilterSetsTheCacheKeyButNotTheFetchedURL() async throws {
    let world = Fixture { $0.requests.keyFilter = \.withoutQuery }
    let first = try await world.loaded(signed(1))

    #expect(world.transport.transfers[0].request.url == signed(1).url)
    #expect(try await world.loaded(signed(2)).image === first.image)
    #expect(world.downloader.cachedImage(for: signed(3)) === first.image)
    #expect(world.downloader.cachedImage(for: request("b.jpg")) == nil)
    #expect(world.downloader.removeCachedImage(for: signed(4)))
    #expect(world.downloader.cachedImage(for: signed(1)) == nil)
  }

  @Test("YY-B25 two requests with the same key share the transfer of the first")
  func requestsWithTheSameKeyShareATransfer() async throws {
    let world = Fixture { $0.requests.keyFilter = \.withoutQuery }
    let first = world.downloader.load(signed(1))
    let second = world.downloader.load(signed(2))

    #expect(world.transport.transfers.map(\.request.url) == [signed(1).url])
    world.transport.transfers[0].respond(with: Fixture.body)
    #expect(try await first.response.image === second.response.image)
  }

  @Test("YY-B25 the headers of each request are filtered with the URL of the request")
  func headersFilterReceivesEachRequestsURL() async throws {
    let world = Fixture {
      $0.requests.headersFilter = { url, headers in
        var headers = headers
        headers["X-For"] = url.lastPathComponent
        headers["X-Old"] = nil
        return headers
      }
    }
    var imageRequest = request("a.jpg")
    imageRequest.headers = ["X-Old": "1", "X-Kept": "2"]
    try await world.loaded(imageRequest)
    try await world.loaded(request("b.jpg"))

    let sent = world.transport.transfers.map(\.request.headers)
    #expect(sent.map { $0["X-For"] } == ["a.jpg", "b.jpg"])
    #expect(sent.map { $0["X-Old"] } == [nil, nil])
    #expect(sent.map { $0["X-Kept"] } == ["2", nil])
    #expect(sent.map { $0["Accept"] } == [ImageRequest.defaultAccept, ImageRequest.defaultAccept])
    #expect(world.downloader.cachedImage(for: request("a.jpg")) != nil)
  }

  @Test("YY-B25 credentials that a filter adds are part of the identity")
  func filteredCredentialsArePartOfTheIdentity() async throws {
    let token = Token()
    let world = Fixture {
      $0.requests.headersFilter = { _, headers in
        var headers = headers
        headers["Authorization"] = token.value.withLock { $0 }
        return headers
      }
      $0.requests.keyFilter = \.withoutQuery
    }
    let first = try await world.loaded(signed(1))
    token.value.withLock { $0 = "b" }

    #expect(world.downloader.cachedImage(for: signed(1)) == nil)
    #expect(try await world.loaded(signed(1)).image !== first.image)
    token.value.withLock { $0 = "a" }
    #expect(world.downloader.cachedImage(for: signed(2)) === first.image)
  }

  @Test func keyReplacesTheURLInTheIdentity() {
    let named = RequestIdentity(url: url("a.jpg?1"), headers: [:], key: url("a.jpg#part"))
    #expect(named == RequestIdentity(url: url("a.jpg"), headers: [:]))
    #expect(named.url == "http://a.test/a.jpg")
    #expect(named.fullURL == url("a.jpg?1"))
    #expect(named.asSent == request("a.jpg?1").identity)
    #expect(request().identity.asSent == request().identity)
  }

  @Test func traceReportsTheFilteredKeyAsURL() async throws {
    let trace = Trace()
    let world = Fixture {
      $0.requests.keyFilter = \.withoutQuery
      $0.environment.trace = trace
    }
    let image = try await world.loaded(signed(1)).image
    world.downloader.traceServed(signed(2), image)

    let urls = trace.events.compactMap { event -> String? in
      switch event.kind {
      case .requested(let request): request.url
      case .served(_, let url, _): url
      default: nil
      }
    }
    #expect(urls == ["http://a.test/a.jpg", "http://a.test/a.jpg"])
  }
}

private final class Token: Sendable {
  let value = Mutex("a")
}

extension URL {
  /// The URL without its query, which serves as the key of a signed URL.
  var withoutQuery: URL { URL(string: String(absoluteString.prefix { $0 != "?" })) ?? self }
}
