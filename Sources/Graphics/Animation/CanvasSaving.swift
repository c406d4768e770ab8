/// A decoder that can save canvases, so that going back to an earlier frame takes few decodes.
package protocol CanvasSaving: FrameDecoding {
  /// Lets the decoder save canvases from now on. No canvas is saved before playing goes back.
  ///
  /// - Parameter ledger: Counts the canvases, which are saved only while there is room in the ledger; `nil` if they are
  ///   not counted.
  func saveCanvases(countedIn ledger: MemoryLedger?)

  /// Releases the saved canvases, and returns their number of bytes. May be called from any thread, also during the
  /// decode of a frame.
  func releaseSavedCanvases() -> Int
}
