import Testing

@testable import VitrineLoading

/// The order of files in a folder.
@Suite(.timeLimit(.minutes(5))) struct NaturalOrderTests {
  @Test(arguments: [
    ["2.jpg", "10.jpg"],
    ["img.jpg", "img1.jpg", "IMG2.jpg", "img10.jpg"],
    ["A", "a", "B", "b"],
    ["", "0", "00", "01", "1", "9", "12", "a0", "A0b", "a00b", "a0b"],
    ["img002.jpg", "img02.jpg", "img2.jpg", "img03.jpg"],
    ["2020-1-9", "2020-1-10", "2020-12-1"],
    ["99999999999999999999.png", "100000000000000000000.png"],
  ])
  func numbersCountByTheirValueAndCaseDoesNotCount(names: [String]) {
    #expect(NaturalOrder.sorted(names) == names)
    #expect(NaturalOrder.sorted(names.reversed()) == names)
  }
}
