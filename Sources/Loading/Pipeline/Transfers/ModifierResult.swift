import VitrineGraphics

extension Result where Failure == ImageError {
  /// Returns the result of a closure of the application. An `ImageError` is passed on, a `CancellationError` becomes
  /// `.cancelled`, and any other error becomes `refusal` with the text of the error.
  static func of(
    _ refusal: (String) -> ImageError, _ body: () async throws -> sending Success
  ) async -> sending Result {
    do { return .success(try await body()) } catch { return .failure(ImageError(error, refusal)) }
  }

  /// Returns the result of a synchronous closure of the application. Errors are mapped as for asynchronous closures.
  static func of(_ refusal: (String) -> ImageError, _ body: () throws -> Success) -> Result {
    do { return .success(try body()) } catch { return .failure(ImageError(error, refusal)) }
  }
}

extension ImageError {
  fileprivate init(_ error: any Error, _ refusal: (String) -> ImageError) {
    self =
      switch error {
      case let error as ImageError: error
      case is CancellationError: .cancelled
      default: refusal("\(error)")
      }
  }
}
