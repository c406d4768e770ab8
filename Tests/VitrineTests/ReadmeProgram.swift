import Glibc
import Vitrine

@MainActor
struct Hello {
  static func main() {
    do {
      let application = try Application(title: "Hello", size: Size(width: 640, height: 480))

      let cover = ImageView(frame: Rect(x: 40, y: 40, width: 320, height: 240))
      cover.setImage(from: "https://picsum.photos/id/15/1600/1200")

      let play = Button(frame: Rect(x: 400, y: 40, width: 200, height: 64))
      play.setTitle("Play", for: .normal)
      play.setBackgroundImage(from: "https://picsum.photos/id/16/400/128", for: .normal)
      play.setBackgroundImage(from: "https://picsum.photos/id/17/400/128", for: .selected)
      play.addAction(for: .touchUpInside) { $0.isSelected.toggle() }

      application.window.addSubview(cover)
      application.window.addSubview(play)
      application.run()
    } catch {
      print("Hello: \(error)")
      exit(1)
    }
  }
}
