import FileProvider

/// What a person is shown of where an item's bytes are.
package enum ItemState: String, Sendable {
    case dataless
    case partial
    case current
    /// Changed here, and not with the service yet.
    case edited
    case uploading
    /// What was changed here could not be sent.
    case error
}

extension IndexedItem {
    /// Whether all of a file's bytes are on this machine.
    package var hasAllBytes: Bool { content == .current || content == .edited }

    /// Whether the service has what is here.
    package var isUploaded: Bool {
        changes.isEmpty && content != .edited && (item.flags.contains(.uploaded) || item.kind != .file)
    }

    /// - Parameter upload: how far the item's edit is; `nil` where nothing is known of one.
    package func state(_ upload: UploadState?) -> ItemState {
        let isEdited = !changes.isEmpty || content == .edited
        if item.uploadingError != nil || isEdited && upload?.failure != nil { return .error }
        if isEdited { return upload?.isUnderWay == true || item.flags.contains(.uploading) ? .uploading : .edited }
        switch item.kind {
        // A folder has no bytes: what is in it has states of its own.
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
