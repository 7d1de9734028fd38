@_exported import Exchange
@_exported import ItemProvider
@_exported import MobileCoreServices
@_exported import UniformTypeIdentifiers
