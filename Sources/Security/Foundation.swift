// Foundation is re-exported, as the frameworks do on Apple's platforms.
@_exported import FoundationAdditions
