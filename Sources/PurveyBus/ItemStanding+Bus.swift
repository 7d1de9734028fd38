import DomainMessages
import ItemValues

extension ItemStanding {
    /// The properties of the item in D-Bus messages.
    var properties: BusValue {
        guard let item else { return .properties([("state", .string(domain == nil ? "outside" : "unknown"))]) }
        var pairs: [(name: String, value: BusValue)] = [
            ("state", .string(item.state.word)), ("kind", .string(item.kind.word)), ("kept", .boolean(item.isPinned)),
            ("uploaded", .boolean(item.isUploaded)),
        ]
        if let domain { pairs.append(("domain", .string(domain))) }
        if let fault = item.fault {
            pairs.append(("error", .string(fault.message)))
            if let suggestion = fault.suggestion { pairs.append(("suggestion", .string(suggestion))) }
        }
        // The numbers come from the provider and are not trusted.
        if item.isUploading, item.sent >= 0, item.total > 0 {
            pairs.append(("sent", .long(UInt64(item.sent))))
            pairs.append(("total", .long(UInt64(item.total))))
        }
        return .properties(pairs)
    }
}
