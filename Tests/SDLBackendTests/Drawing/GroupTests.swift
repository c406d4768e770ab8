import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests {
  /// Groups on the screen: pixels, clips, and what lies below.
  struct GroupTests {
    private static let whole = Rect(x: 0, y: 0, width: 40, height: 30)

    @Test func viewsOfAGroupDoNotShineThroughEachOther() throws {
      let test = try TestHost()
      test.window.backgroundColor = .pureBlue
      test.view.backgroundColor = .pureRed
      let child = View(frame: Rect(x: 10, y: 10, width: 10, height: 10))
      child.backgroundColor = .pureGreen
      test.view.addSubview(child)
      test.view.groupsOpacity = true
      test.view.alpha = 0.5

      test.frame()

      #expect(test.pixel(5, 5).distance(to: Color.pureRed.over(.pureBlue, alpha: 0.5)) <= 1)
      #expect(test.pixel(15, 15).distance(to: Color.pureGreen.over(.pureBlue, alpha: 0.5)) <= 1)

      test.view.groupsOpacity = false
      test.frame()
      #expect(test.pixel(15, 15).red > 50, "without a group, the view below shines through")
    }

    @Test func fillInAGroupDoesNotCullWhatLiesBelow() throws {
      let test = try TestHost()
      test.draw { list in
        list.fill(Self.whole, color: .pureRed)
        list.enterGroup(in: Self.whole, opacity: 0.5)
        list.fill(Self.whole, color: .pureGreen)
        list.fill(Rect(x: 0, y: 0, width: 5, height: 5), color: .pureBlue)
        list.leave()
      }

      test.frame()

      #expect(test.pixel(20, 20).distance(to: Color.pureGreen.over(.pureRed, alpha: 0.5)) <= 1)
      #expect(test.pixel(2, 2).distance(to: Color.pureBlue.over(.pureRed, alpha: 0.5)) <= 1)
    }

    @Test func fillAboveAGroupHidesIt() throws {
      let test = try TestHost()
      test.draw { list in
        list.enterGroup(in: Self.whole, opacity: 0.5)
        list.fill(Self.whole, color: .pureGreen)
        list.leave()
        list.fill(Self.whole, color: .pureRed)
        list.enterGroup(in: Rect(x: 0, y: 0, width: 5, height: 5), opacity: 0.5)
        list.fill(Self.whole, color: .pureBlue)
        list.leave()
      }

      test.frame()

      #expect(test.pixel(20, 20) == .pureRed)
      #expect(test.pixel(2, 2).distance(to: Color.pureBlue.over(.pureRed, alpha: 0.5)) <= 1)
      #expect(test.pixel(5, 5) == .pureRed, "a group draws nothing outside its rectangle")
    }

    @Test func groupsAndClipsNest() throws {
      let test = try TestHost()
      test.draw { list in
        list.fill(Self.whole, color: .black)
        list.enterGroup(in: Self.whole, opacity: 0.5)
        list.enter(origin: .zero, opacity: 1, clip: Rect(x: 0, y: 0, width: 20, height: 30))
        list.fill(Self.whole, color: Color(red: 200, green: 0, blue: 0))
        list.enterGroup(in: Rect(x: 0, y: 0, width: 40, height: 10), opacity: 0.5)
        list.fill(Self.whole, color: Color(red: 0, green: 200, blue: 0))
        list.leave()
        list.leave()
        list.fill(Rect(x: 30, y: 0, width: 10, height: 30), color: Color(red: 0, green: 0, blue: 200))
        list.leave()
        list.fill(Rect(x: 25, y: 0, width: 2, height: 30), color: .white)
      }

      test.frame()

      #expect(test.pixel(5, 5).distance(to: Color(red: 50, green: 50, blue: 0)) <= 1)
      #expect(test.pixel(5, 15).distance(to: Color(red: 100, green: 0, blue: 0)) <= 1)
      #expect(test.pixel(22, 5) == .black)
      #expect(test.pixel(35, 5).distance(to: Color(red: 0, green: 0, blue: 100)) <= 1)
      #expect(test.pixel(25, 5) == .white, "the group and its clips have ended")
    }

    @Test(arguments: [0, 1] as [Double])
    func groupAtTheEndsOfOpacityIsInvisibleOrOpaque(opacity: Double) throws {
      let test = try TestHost()
      test.draw { list in
        list.fill(Self.whole, color: .pureRed)
        list.enterGroup(in: Self.whole, opacity: opacity)
        list.fill(Self.whole, color: .pureGreen)
        list.leave()
      }

      test.frame()

      #expect(test.pixel(20, 20) == (opacity == 0 ? .pureRed : .pureGreen))
    }

    @Test func magnifiedViewIsDrawnAboutItsCenter() throws {
      let test = try TestHost()
      test.window.backgroundColor = .pureBlue
      test.view.frame = Rect(x: 10, y: 10, width: 10, height: 10)
      test.view.backgroundColor = .pureRed
      test.frame()

      test.view.magnification = 1.6
      test.frame()
      #expect(test.pixel(7, 7) == .pureRed && test.pixel(22, 22) == .pureRed)
      #expect(test.pixel(6, 6) == .pureBlue && test.pixel(23, 23) == .pureBlue)

      test.view.magnification = 0.4
      test.frame()
      #expect(test.pixel(13, 13) == .pureRed && test.pixel(16, 16) == .pureRed)
      #expect(test.pixel(12, 12) == .pureBlue && test.pixel(17, 17) == .pureBlue)
    }
  }
}
