import DomainMessages
import FileProvider
import ItemValues

/// The state of an item in words for the user.
package enum ItemCondition: Sendable, Equatable {
    /// The contents are at the service only.
    case inCloud
    /// Some of the contents are on this machine.
    case partlyHere
    case here
    /// The contents are on this machine and stay there.
    case kept
    /// The contents are being uploaded. The value is the completed fraction from 0 to 1; `nil` if the provider does not
    /// report it.
    case uploading(Double?)
    /// An edit waits for its upload.
    case waiting(reason: String)
    case failed(reason: String, suggestion: String?, remedy: Remedy)
    /// A state without a badge, such as that of a folder that is neither pinned nor changed.
    case plain

    package init(_ item: ItemDescription, domain: String) {
        self =
            switch item.state {
            case .error: Self.failure(item.fault, domain: domain)
            case .uploading: .uploading(Self.fraction(item))
            case .edited: item.isUploading ? .uploading(Self.fraction(item)) : Self.waiting(item.fault)
            case .dataless where item.kind == .folder: item.isPinned ? .kept : .plain
            case .dataless: .inCloud
            case .partial: .partlyHere
            case .current where !item.isUploaded: Self.waiting(item.fault)
            case .current where item.isPinned: .kept
            case .current: item.kind == .file ? .here : .plain
            }
    }

    private static func fraction(_ item: ItemDescription) -> Double? {
        // The numbers come from the provider and may have any values.
        item.total > 0 ? min(max(Double(item.sent) / Double(item.total), 0), 1) : nil
    }

    private static func waiting(_ fault: ItemFault?) -> ItemCondition {
        .waiting(reason: fault.map { BrowserError.sentence($0.message) } ?? "The change is sent as soon as possible.")
    }

    private static func failure(_ fault: ItemFault?, domain: String) -> ItemCondition {
        let reason = BrowserError.sentence(fault?.message ?? "The change could not be sent")
        let suggestion = fault?.suggestion.map { BrowserError.sentence($0) }
        switch fault?.kind {
        case .transient?: return .waiting(reason: reason + " It is retried automatically.")
        case .authentication?: return .failed(reason: reason, suggestion: suggestion, remedy: .signIn(domain: domain))
        case .persistent?, nil: return .failed(reason: reason, suggestion: suggestion, remedy: .retry(domain: domain))
        }
    }

    /// The word of the badge; empty for ``plain``.
    package var word: String {
        switch self {
        case .inCloud: "In the cloud"
        case .partlyHere: "Partly here"
        case .here: "Here"
        case .kept: "Kept"
        case .uploading(let fraction): fraction.map { "Uploading, \(Int($0 * 100)) %" } ?? "Uploading"
        case .waiting: "Waiting"
        case .failed: "Failed"
        case .plain: ""
        }
    }

    /// A sentence that explains the state.
    package var explanation: String {
        switch self {
        case .inCloud: "The contents are at the service. They are downloaded when the file is opened."
        case .partlyHere: "Some of the contents are on this computer."
        case .here: "The contents are on this computer. They are removed when space is needed."
        case .kept: "The contents are on this computer, and stay there."
        case .uploading: "The contents are being sent to the service."
        case .waiting(let reason): reason
        case .failed(let reason, let suggestion, _): [reason, suggestion].compactMap { $0 }.joined(separator: " ")
        case .plain: ""
        }
    }

    package var remedy: Remedy? {
        if case .failed(_, _, let remedy) = self { remedy } else { nil }
    }
}
