import FileProvider
import FileProviderWire
import ItemStore
import ItemValues

/// The progress of a domain's edits until the provider has confirmed them.
package struct EditStatus: Sendable, Equatable {
    /// An item with edits that the provider has not confirmed.
    package struct Item: Sendable, Equatable {
        package var number: ItemNumber
        package var name: String
        package var changes: LocalChanges
        /// Whether the upload includes the contents of a file.
        package var sendsContents: Bool
        /// Whether a request is running at the provider, or the provider has accepted the edit but its service does not
        /// have the edit yet.
        package var isUnderWay: Bool
        /// The number of bytes that the service has received, and the total number of bytes, as the provider reports
        /// them. Both are 0 if the provider reports nothing.
        package var sent: Int64
        package var total: Int64
        /// The failure of the last attempt to send the edit; `nil` if it did not fail.
        package var failure: ProviderError?
        /// Whether the edit is parked: the engine does not retry it before ``DomainEngine/retry()``.
        package var isHeld: Bool
        /// Whether the user has cancelled the upload.
        package var isCancelled: Bool { failure == .uploadCancelled }
    }

    package var items: [Item] = []
    package var events: [EditEvent] = []
}

extension ProviderError {
    /// Whether a retry can succeed only after the user has acted.
    package var needsUser: Bool {
        switch kind {
        case .notAuthenticated, .insufficientQuota, .cannotSynchronize, .disabled, .unsupported, .notPermitted,
            .deletionRejected:
            true
        case .transient, .serverUnreachable, .noSuchItem, .expired, .filenameCollision, .directoryNotEmpty, .cancelled,
            .processEnded, .badAnswer, .noSpace:
            false
        }
    }
}

/// An unexpected outcome of an edit.
package struct EditEvent: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The contents at the provider were not those that the edit is based on. The local contents were saved in a
        /// copy with this name.
        case conflict(copy: String)
        /// Another item at the provider had the item's name, so the item was renamed to this name.
        case renamed(to: String)
        /// The item came back after its deletion, because the provider refused the deletion for this reason. `nil` if
        /// the item came back because another client has changed it.
        case deletionRefused(ProviderError?)
        /// The provider removed an item that was edited locally. The item is created again.
        case madeAgain
        /// The change was not made, because the provider forbids it for this reason.
        case forbidden(String)
        /// At start, the disk had bytes of an edit that the journal did not record.
        case recovered
    }

    package var number: ItemNumber
    package var name: String
    package var kind: Kind
    /// The date of the event, in seconds since 1970.
    package var time: Double
}

/// The names of the copies of a file's contents from which uploads read.
enum UploadName {
    /// Returns the name of the copy from which the given item is being uploaded, or was last uploaded.
    static func latest(_ number: ItemNumber) -> String { String(number.rawValue) }
    /// Returns the names of the copies from earlier uploads of the given item, latest first. The reply to an earlier
    /// upload may have been lost, so the provider may have the contents of one of these copies.
    static func earlier(_ number: ItemNumber) -> [String] { (1...4).map { "\(number.rawValue).before-\($0)" } }
    static func all(_ number: ItemNumber) -> [String] { [latest(number)] + earlier(number) }
}
