// As on Apple's platforms, importing this module also imports Foundation. As in UIKit, it also imports the classes of
// detected values.
@_exported import DataDetection
@_exported import FoundationAdditions
