import FileProvider

extension ItemStanding {
    /// What the bus is told of it.
    var properties: BusValue {
        guard let item else { return .properties([("state", .string(domain == nil ? "outside" : "unknown"))]) }
        var pairs: [(name: String, value: BusValue)] = [
            ("state", .string(item.state.word)), ("kind", .string(item.kind.word)), ("kept", .boolean(item.isKept)),
            ("uploaded", .boolean(item.isUploaded)),
        ]
        if let domain { pairs.append(("domain", .string(domain))) }
        if let fault = item.fault {
            pairs.append(("error", .string(fault.message)))
            if let suggestion = fault.suggestion { pairs.append(("suggestion", .string(suggestion))) }
        }
        // A provider may say what it likes.
        if item.isUploading, item.sent >= 0, item.total > 0 {
            pairs.append(("sent", .long(UInt64(item.sent))))
            pairs.append(("total", .long(UInt64(item.total))))
        }
        return .properties(pairs)
    }
}

extension ItemDescription.State {
    /// The word for it, which is that of the command line.
    fileprivate var word: String {
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
    fileprivate var word: String {
        switch self {
        case .file: "file"
        case .folder: "folder"
        case .symbolicLink: "link"
        }
    }
}
