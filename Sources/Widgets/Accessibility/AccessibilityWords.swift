/// What was said of a view in place of what its class says; beside the view, since few have any.
final class AccessibilityWords {
  var role: AccessibilityRole?
  var label: String?
  var value: String?
  var isHidden = false
}
