import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@Suite("Accessibility")
struct AccessibilityTests {
  private let test = TestWindow(size: Size(width: 400, height: 300))

  @Test func eachClassReportsItsRole() {
    let views: [(View, AccessibilityRole)] = [
      (View(), .group), (Label("a"), .text), (ImageView(), .image), (Button(title: "a"), .button),
      (Control(), .control), (ScrollView(), .scrollArea), (ListView(), .list), (ListCell(), .row),
      (ActivityIndicator(), .progress), (ProgressView(), .progress), (RefreshControl(), .progress),
      (PageView(), .pages), (PageDots(), .control), (test.window, .window),
    ]

    #expect(views.allSatisfy { $0.0.accessibilityRole == $0.1 })
  }

  @Test func labelsAndButtonsAreLabeledByTheirText() {
    let button = Button(title: "Play")
    button.setTitle("Stop", for: .selected)
    #expect(Label("Hello").accessibilityLabel == "Hello")
    #expect(Label("").accessibilityLabel == nil)
    #expect(button.accessibilityLabel == "Play")
    button.isSelected = true
    #expect(button.accessibilityLabel == "Stop")
    #expect(Button().accessibilityLabel == nil)
    #expect(ImageView().accessibilityLabel == nil)
  }

  @Test func assignedPropertiesOverrideTheDefaultsUntilReset() {
    let button = Button(title: "Play")
    button.accessibilityLabel = "Play the film"
    button.accessibilityRole = .image
    button.accessibilityValue = "paused"
    #expect(button.accessibilityLabel == "Play the film")
    #expect(button.accessibilityRole == .image)
    #expect(button.accessibilityValue == "paused")
    button.accessibilityLabel = nil
    button.accessibilityValue = nil

    #expect(button.accessibilityLabel == "Play")
    #expect(button.accessibilityValue == nil)
  }

  @Test func progressIsReportedInPercentOrAsBusy() {
    let bar = ProgressView()
    bar.setProgress(0.404, animated: true)
    #expect(bar.accessibilityValue == "40%")
    #expect(bar.accessibilityStates == [])
    bar.isIndeterminate = true

    #expect(bar.accessibilityValue == nil)
    #expect(bar.accessibilityStates == .busy)
  }

  @Test func stoppedOrHiddenSpinnerIsOmitted() {
    let spinner = ActivityIndicator()
    test.window.addSubview(spinner)
    #expect(test.window.accessibilityNode.children.isEmpty)
    spinner.startAnimating()
    #expect(test.window.accessibilityNode.children.map(\.states) == [.busy])
    spinner.isAccessibilityHidden = true

    #expect(test.window.accessibilityNode.children.isEmpty)
  }

  @Test func toggleReportsOnAndOff() {
    let toggle = Button(title: "Mute")
    toggle.changesSelectionAsPrimaryAction = true
    #expect(toggle.accessibilityRole == .toggle)
    #expect(toggle.accessibilityValue == "off")
    toggle.performPrimaryAction()

    #expect(toggle.accessibilityValue == "on")
  }

  @Test func statesReflectTheControlAndItsImages() {
    let button = Button(frame: Rect(x: 0, y: 0, width: 40, height: 40))
    test.window.addSubview(button)
    #expect(button.accessibilityStates == [])
    button.isSelected = true
    button.pendingSlots = 1
    test.window.focus(button)
    test.press(at: Point(x: 10, y: 10))
    #expect(button.accessibilityStates == [.highlighted, .selected, .focused, .busy])
    button.isEnabled = false

    #expect(button.accessibilityStates.contains(.disabled))
    #expect(button.accessibilityStates.names == ["selected", "disabled", "focused", "busy"])
  }

  @Test func indicatorIsBusyWhileAnimating() {
    let indicator = ActivityIndicator()
    #expect(indicator.accessibilityStates == [])
    indicator.startAnimating()

    #expect(indicator.accessibilityStates == .busy)
  }

  private final class Rows: ListViewDataSource {
    func numberOfRows(in list: ListView) -> Int { 3 }
    func listView(_ list: ListView, cellForRow row: Int) -> ListCell {
      let cell = list.dequeueCell(ListCell.self)
      let panel = View()
      panel.addSubview(Label("Row \(row)"))
      panel.addSubview(Label("of three"))
      cell.addSubview(panel)
      return cell
    }
  }

  @Test func listReportsItsSelectionAndRowsAreLabeledByTheirContent() throws {
    let rows = Rows()
    let list = ListView(frame: Rect(x: 0, y: 0, width: 200, height: 150))
    list.dataSource = rows
    list.onSelect = { _ in }
    test.window.addSubview(list)
    test.draw()
    #expect(list.accessibilityValue == "3")
    test.window.focus(list)
    test.key(.down)

    #expect(list.accessibilityValue == "2 of 3")
    let cell = try #require(list.cell(at: 1))
    #expect(cell.accessibilityLabel == "Row 1, of three")
    #expect(cell.accessibilityStates == [.selected, .focused])
  }

  @Test func treeTextHasAnIndentedLineForEachView() {
    let panel = View(frame: Rect(x: 10, y: 20, width: 100, height: 100))
    let toggle = Button(frame: Rect(x: 5, y: 5, width: 80, height: 40.4))
    toggle.setTitle("Say \"hi\"\nand \\", for: .normal)
    toggle.changesSelectionAsPrimaryAction = true
    toggle.isSelected = true
    let hiddenLabel = Label("gone")
    hiddenLabel.isHidden = true
    let image = ImageView(frame: Rect(x: 0, y: 0, width: 8, height: 8))
    panel.addSubview(toggle)
    panel.addSubview(hiddenLabel)
    panel.addSubview(image)
    test.window.addSubview(panel)
    #expect(
      test.window.accessibilityNode.text == """
        window "" "" normal 0,0 400x300
          toggle "Say \\"hi\\"\\nand \\\\" "on" selected 15,25 80x40
          image "" "" normal 10,20 8x8
        """)
    panel.accessibilityLabel = "Panel"

    #expect(test.window.accessibilityNode.children.map(\.label) == ["Panel"])
    #expect(test.window.accessibilityNode.children.first?.children.count == 2)
  }

  @Test func viewWithANonFiniteFrameIsPrinted() {
    let odd = Label("odd")
    odd.frame = Rect(x: .infinity, y: .nan, width: 0, height: -1)
    test.window.addSubview(odd)

    #expect(test.window.accessibilityNode.text.contains("text \"odd\" \"\" normal 0,0 0x-1"))
  }
}
