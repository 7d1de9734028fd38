// Foundation is re-exported, as UIKit does on Apple's platforms.
@_exported import FoundationAdditions
