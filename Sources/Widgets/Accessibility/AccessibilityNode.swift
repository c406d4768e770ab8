public import VitrineGraphics

/// A view as somebody hears of it who does not see it, with what it holds: plain data, to be read out, printed or
/// checked.
public nonisolated struct AccessibilityNode: Hashable, Sendable {
  /// What it is.
  public var role: AccessibilityRole
  /// What it is called; nil for what has no name.
  public var label: String?
  /// What it is set to, as `on`, `3 of 10`; nil where it has no value.
  public var value: String?
  /// What holds at present.
  public var states: AccessibilityStates
  /// Where it lies in the window, in points; also where it is scrolled out of sight.
  public var frame: Rect
  /// What it holds, back to front, which is the order of the Tab key.
  public var children: [AccessibilityNode]

  /// The node and all below it, each on a line of its own, two blanks further in than what it lies in: role, name, value,
  /// states, place and size, as `toggle "Mute" "on" selected,focused 24,96 80x44`. Without a value there are empty
  /// quotes, without a state it is `normal`; places are rounded to whole points.
  public var text: String { lines(indent: "").joined(separator: "\n") }

  private func lines(indent: String) -> [String] {
    let names = states.names
    let parts = [
      role.rawValue, Self.quoted(label), Self.quoted(value),
      names.isEmpty ? "normal" : names.joined(separator: ","),
      "\(Self.whole(frame.minX)),\(Self.whole(frame.minY))",
      "\(Self.whole(frame.width))x\(Self.whole(frame.height))",
    ]
    return [indent + parts.joined(separator: " ")] + children.flatMap { $0.lines(indent: indent + "  ") }
  }

  private static func whole(_ number: Double) -> Int { Int(exactly: number.rounded()) ?? 0 }

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
  /// The view and what it holds, as it is now. What is hidden is left out, as is what says so; a group without a name leaves its place to
  /// what it holds. O(views).
  public var accessibilityNode: AccessibilityNode {
    AccessibilityNode(
      role: accessibilityRole, label: accessibilityLabel, value: accessibilityValue,
      states: accessibilityStates, frame: frameInWindow,
      children: subviews.flatMap(\.accessibilityNodes))
  }

  /// The node, or those that stand in its place.
  var accessibilityNodes: [AccessibilityNode] {
    guard !isHidden, alpha >= 0.01, !isAccessibilityHidden else { return [] }
    let node = accessibilityNode
    return node.role == .group && node.label == nil ? node.children : [node]
  }
}
