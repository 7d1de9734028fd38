import ItemValues

// The names of states and kinds, the same on the command line, in its JSON and on the desktop's bus.

extension DomainDescription.State {
    package var word: String {
        switch self {
        case .running: "running"
        case .changing: "changing"
        case .failed: "failed"
        }
    }
}

extension ItemDescription.State {
    package var word: String {
        switch self {
        case .dataless: "dataless"
        case .partial: "partial"
        case .current: "current"
        case .edited: "edited"
        case .uploading: "uploading"
        case .error: "error"
        }
    }
}

extension ProviderItem.Kind {
    package var word: String {
        switch self {
        case .file: "file"
        case .folder: "folder"
        case .symbolicLink: "link"
        }
    }
}
