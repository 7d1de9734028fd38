// As on Apple's platforms, importing the module imports Foundation.
@_exported import FoundationAdditions
