// As on Apple's platforms, this module exports Foundation and, as UIKit does, the classes of detected values.
@_exported import DataDetection
@_exported import FoundationAdditions
