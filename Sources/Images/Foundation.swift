// As UIKit does on Apple's platforms, this module exports Foundation.
@_exported import FoundationAdditions
