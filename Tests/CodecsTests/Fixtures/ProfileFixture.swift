import CCodecs

/// Writes color profiles with Little CMS.
enum ProfileFixture {
  /// The profile assumed for images without one.
  static let srgb = bytes(cmsCreate_sRGBProfile())

  /// The primaries of sRGB with red and green swapped.
  static let swapped = rgb(red: (0.30, 0.60), green: (0.64, 0.33))

  /// The primaries of Display P3.
  static let displayP3 = rgb(red: (0.680, 0.320), green: (0.265, 0.690))

  /// Gray with a linear tone curve.
  static let linearGray: [UInt8] = {
    let curve = cmsBuildGamma(nil, 1)
    defer { cmsFreeToneCurve(curve) }
    return bytes(cmsCreateGrayProfile(cmsD50_xyY(), curve))
  }()

  /// A CMYK profile whose cyan is red.
  static let redCyan: [UInt8] = {
    let profile = cmsCreateProfilePlaceholder(nil)
    cmsSetProfileVersion(profile, 2.1)
    cmsSetDeviceClass(profile, cmsSigOutputClass)
    cmsSetColorSpace(profile, cmsSigCmykData)
    cmsSetPCS(profile, cmsSigLabData)
    let table = cmsStageAllocCLut16bit(nil, 2, 4, 3, nil)
    _ = cmsStageSampleCLut16bit(
      table,
      { inks, lab, _ in
        guard let inks, let lab else { return 0 }
        let (cyan, black) = (Double(inks[0]) / 65535, Double(inks[3]) / 65535)
        var color = cmsCIELab(
          L: (100 - 47 * cyan) * (1 - black), a: 80 * cyan * (1 - black), b: 67 * cyan * (1 - black))
        cmsFloat2LabEncodedV2(lab, &color)
        return 1
      }, nil, 0)
    let pipeline = cmsPipelineAlloc(nil, 4, 3)
    defer { cmsPipelineFree(pipeline) }
    _ = cmsPipelineInsertStage(pipeline, cmsAT_END, table)
    cmsWriteTag(profile, cmsSigAToB0Tag, UnsafeRawPointer(pipeline))
    return bytes(profile)
  }()

  private static func rgb(red: (Double, Double), green: (Double, Double)) -> [UInt8] {
    var white = cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1)
    var primaries = cmsCIExyYTRIPLE(
      Red: cmsCIExyY(x: red.0, y: red.1, Y: 1), Green: cmsCIExyY(x: green.0, y: green.1, Y: 1),
      Blue: cmsCIExyY(x: 0.15, y: 0.06, Y: 1))
    let curve = cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    defer { cmsFreeToneCurve(curve) }
    var curves = [curve, curve, curve]
    return bytes(cmsCreateRGBProfile(&white, &primaries, &curves))
  }

  private static func bytes(_ profile: cmsHPROFILE?) -> [UInt8] {
    defer { cmsCloseProfile(profile) }
    var count: UInt32 = 0
    cmsSaveProfileToMem(profile, nil, &count)
    var bytes = [UInt8](repeating: 0, count: Int(count))
    cmsSaveProfileToMem(profile, &bytes, &count)
    return bytes
  }
}
