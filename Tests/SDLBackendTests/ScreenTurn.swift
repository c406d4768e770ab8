import Testing
import VitrineTesting

/// Takes turns with the screens of other tests, which may be open while those tests wait for something.
nonisolated struct ScreenTurn: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // A suite is no test; each of its tests has a turn.
    guard testCase != nil else { return try await function() }
    try await TestScreen.turns.begin()
    defer { TestScreen.turns.end() }
    try await function()
  }
}

extension Trait where Self == ScreenTurn {
  /// For tests that open a host themselves.
  nonisolated static var screenTurn: Self { ScreenTurn() }
}
