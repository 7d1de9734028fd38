// As on Apple's platforms, Foundation comes with the module.
@_exported import FoundationAdditions
