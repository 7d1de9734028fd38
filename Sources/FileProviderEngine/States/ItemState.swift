import FileProviderWire
import ItemStore
import ItemValues

/// The state of an item's contents, as shown to the user.
package enum ItemState: String, Sendable {
    case dataless
    case partial
    case current
    /// Changed locally and not uploaded yet.
    case edited
    case uploading
    /// A local change could not be uploaded.
    case error
}

extension IndexedItem {
    /// Returns the state to show.
    ///
    /// - Parameter upload: The progress of the item's upload; `nil` if there is none.
    package func state(_ upload: UploadState?) -> ItemState {
        let isEdited = !changes.isEmpty || content == .edited
        if item.uploadingError != nil || isEdited && upload?.failure != nil { return .error }
        if isEdited { return upload?.isUnderWay == true || item.flags.contains(.uploading) ? .uploading : .edited }
        switch item.kind {
        // A directory has no contents of its own: its items have states.
        case .symbolicLink, .folder: return .current
        case .file:
            switch content {
            case .dataless: return .dataless
            case .partial: return .partial
            case .current, .edited: return .current
            }
        }
    }
}
