/// The accessibility values that replace the defaults of a view's class. A separate object, because few views have any.
final class AccessibilityOverrides {
  var role: AccessibilityRole?
  var label: String?
  var value: String?
  var isHidden = false
}
