package import Testing
import VitrineTesting

/// Waits for the screens of other tests to close, because a process has one host at a time.
package struct ScreenTurn: SuiteTrait, TestTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // The trait is also applied to the suite itself, which needs no turn.
    guard testCase != nil else { return try await function() }
    try await TestScreen.turns.begin()
    defer { TestScreen.turns.end() }
    try await function()
  }
}

extension Trait where Self == ScreenTurn {
  /// A trait for tests that open a host themselves.
  package static var screenTurn: Self { ScreenTurn() }
}
