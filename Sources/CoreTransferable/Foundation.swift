// As on Apple's platforms, this module exports Foundation and the types.
@_exported import FoundationAdditions
@_exported import UniformTypeIdentifiers
