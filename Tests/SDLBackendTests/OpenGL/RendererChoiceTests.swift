import FoundationEssentials
import Glibc
import Testing

@testable import VitrineSDLBackend

struct GraphicsProcessorsTests {
  /// The accepted render nodes of a fake machine whose only node has the given driver.
  private func nodes(
    driver: String, features: String? = nil, onPCI: Bool = false, hasDevice: Bool = true
  ) throws -> [String] {
    let root = "/tmp/vitrine-processors-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: root) }
    let device = root + "/sys/class/drm/renderD128/device"
    let virtual = onPCI ? device + "/virtio0" : device
    for folder in [device, virtual, root + "/dev/dri", root + "/sys/class/drm/card0"] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(
      atPath: virtual + "/driver", withDestinationPath: "../../bus/virtio/drivers/" + driver)
    try features?.write(toFile: virtual + "/features", atomically: false, encoding: .utf8)
    if hasDevice { try "".write(toFile: root + "/dev/dri/renderD128", atomically: false, encoding: .utf8) }
    return GraphicsProcessors(root: root).nodes
  }

  @Test func renderNodeOfAGPUDriverIsAccepted() throws {
    #expect(try nodes(driver: "amdgpu") == ["renderD128"])
  }

  @Test func renderNodeWithoutADeviceFileIsIgnored() throws {
    #expect(try nodes(driver: "amdgpu", hasDevice: false) == [])
  }

  @Test(arguments: ["vgem", "vkms"])
  func renderNodeOfAVirtualDriverIsIgnored(driver: String) throws {
    #expect(try nodes(driver: driver) == [])
  }

  @Test(arguments: [("1100", ["renderD128"]), ("0100", [])], [false, true])
  func virtioCardIsAcceptedIfItHas3D(card: (features: String, nodes: [String]), onPCI: Bool) throws {
    let features = card.features + String(repeating: "0", count: 60)

    #expect(try nodes(driver: "virtio_gpu", features: features, onPCI: onPCI) == card.nodes)
  }

  @Test func machineWithoutCardsHasNoRenderNodes() {
    #expect(GraphicsProcessors(root: "/nowhere").nodes == [])
  }
}

struct OpenGLHardwareTests {
  @Test(arguments: [
    "llvmpipe (LLVM 15.0.6, 256 bits)", "softpipe", "Software Rasterizer", "swrast", "",
    "Google SwiftShader",
  ])
  func softwareRasterizersAreNotHardware(description: String) {
    #expect(!OpenGLDevice.isHardware(description))
  }

  @Test(arguments: ["V3D 4.2", "Mesa Intel(R) UHD Graphics 620 (KBL GT2)", "virgl (AMD Radeon)"])
  func graphicsProcessorsAreHardware(description: String) {
    #expect(OpenGLDevice.isHardware(description))
  }
}

extension SDLTests {
  struct RendererChoiceTests {
    @Test func automaticRendererOffScreenIsSoftware() throws {
      let test = try TestHost()

      #expect(SDLHost.Configuration().renderer == .auto)
      #expect(test.host.rendererName == "software")
    }

    @Test(arguments: SDLHost.Configuration.Renderer.openGL)
    func unavailableNamedRendererIsAnErrorWithoutFallback(renderer: SDLHost.Configuration.Renderer) throws {
      // The dummy driver has no OpenGL on any machine.
      let error = #expect(throws: SDLHostError.self) {
        try TestHost {
          $0.videoDriver = "dummy"
          $0.renderer = renderer
        }
      }

      guard case .renderer(name: renderer.rawValue, let message) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(!message.isEmpty)
      let description = try #require(error).description
      #expect(description.contains("libgl1-mesa-dri") && !description.contains("\n"))
      _ = try TestHost()
    }
  }
}
