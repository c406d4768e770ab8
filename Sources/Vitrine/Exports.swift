// A program that imports `Vitrine` needs no other module.
@_exported public import VitrineAnimation
@_exported public import VitrineCodecs
@_exported public import VitrineConcurrency
@_exported public import VitrineCurlTransport
@_exported public import VitrineDiskCache
@_exported public import VitrineGraphics
@_exported public import VitrineImageWidgets
@_exported public import VitrineLoading
@_exported public import VitrinePlatform
@_exported public import VitrineSDLBackend
@_exported public import VitrineTracing
@_exported public import VitrineWidgets
