// As on Apple's platforms, Foundation and the types come with the module.
@_exported import FoundationAdditions
@_exported import UniformTypeIdentifiers
