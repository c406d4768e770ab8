public import VitrineGraphics

/// The accessible description of a view and its content, as plain data to be read aloud, printed or tested.
public nonisolated struct AccessibilityNode: Hashable, Sendable {
  /// The role of the view.
  public var role: AccessibilityRole
  /// The accessible name; `nil` without a name.
  public var label: String?
  /// The accessible value, for example `on` or `3 of 10`; `nil` without a value.
  public var value: String?
  /// The current states.
  public var states: AccessibilityStates
  /// The frame in the window in points, also if the view is scrolled out of sight.
  public var frame: Rect
  /// The nodes of the content, back to front, which is the order of the Tab key.
  public var children: [AccessibilityNode]

  /// The node and its descendants as text, one line per node, indented by two spaces per level.
  ///
  /// A line contains role, name, value, states, position and size, for example
  /// `toggle "Mute" "on" selected,focused 24,96 80x44`. A missing name or value is `""`, and without states the state
  /// is `normal`. Positions and sizes are rounded to whole points.
  public var text: String { lines(indent: "").joined(separator: "\n") }

  private func lines(indent: String) -> [String] {
    let names = states.names
    let parts = [
      role.rawValue, Self.quoted(label), Self.quoted(value),
      names.isEmpty ? "normal" : names.joined(separator: ","),
      "\(Self.rounded(frame.minX)),\(Self.rounded(frame.minY))",
      "\(Self.rounded(frame.width))x\(Self.rounded(frame.height))",
    ]
    return [indent + parts.joined(separator: " ")] + children.flatMap { $0.lines(indent: indent + "  ") }
  }

  private static func rounded(_ number: Double) -> Int { Int(exactly: number.rounded()) ?? 0 }

  private static func quoted(_ text: String?) -> String {
    var result = "\""
    for character in text ?? "" {
      switch character {
      case "\"", "\\": result += "\\\(character)"
      case _ where character.isNewline: result += "\\n"
      default: result.append(character)
      }
    }
    return result + "\""
  }
}

extension View {
  /// The current accessible description of the view and its content. Descendants that are hidden, also with
  /// `isAccessibilityHidden`, are omitted; a group without a name is replaced by its content. O(views).
  public var accessibilityNode: AccessibilityNode {
    AccessibilityNode(
      role: accessibilityRole, label: accessibilityLabel, value: accessibilityValue,
      states: accessibilityStates, frame: frameInWindow, children: subviews.flatMap(\.accessibilityNodes))
  }

  /// The node of the view, or the nodes that replace it.
  var accessibilityNodes: [AccessibilityNode] {
    guard isDrawn, !isAccessibilityHidden else { return [] }
    let node = accessibilityNode
    return node.role == .group && node.label == nil ? node.children : [node]
  }
}
