import Conduit

/// The upload or the download of a file.
package struct TransferActivity: SchemaMessage, Equatable {
    package enum State: UInt8, Sendable, MessageValue {
        case running = 0
        case waiting = 1
        /// The user has cancelled the upload. The change stays on this machine.
        case cancelled = 2
    }

    package let name: String
    /// Whether the transfer is an upload. If `false`, it is a download.
    package let isUpload: Bool
    /// The number of transferred bytes, and the total number of bytes. A number that the provider has not reported is
    /// 0.
    package let done: Int64
    package let total: Int64
    /// The dates of the transfer's start and of its last progress, in seconds since 1970; `nil` if they are not known.
    package let begun: Double?
    package let moved: Double?
    /// The item number of the file in its domain, for ``CancelTransferCall``; 0 if it is not known.
    package let file: Int64
    package let state: State
    package let canBeCancelled: Bool

    package init(
        name: String, isUpload: Bool, done: Int64 = 0, total: Int64 = 0, begun: Double? = nil, moved: Double? = nil,
        file: Int64 = 0, state: State = .running, canBeCancelled: Bool = false
    ) {
        self.name = name
        self.isUpload = isUpload
        self.done = done
        self.total = total
        self.begun = begun
        self.moved = moved
        self.file = file
        self.state = state
        self.canBeCancelled = canBeCancelled
    }

    /// The progress in percent, from 0 to 100; 0 if the total number of bytes is not known.
    package var percent: Int {
        // The numbers that the provider reports are not validated.
        guard total > 0 else { return 0 }
        return Int(min(max(Double(done) * 100 / Double(total), 0), 100))
    }

    package static let schema = Schema(
        Self.init, Field(0, \.name), Field(1, \.isUpload), Field(2, \.done), Field(3, \.total), Field(4, \.begun),
        Field(5, \.moved), Field(6, \.file, default: 0), Field(7, \.state, default: .running),
        Field(8, \.canBeCancelled, default: false))
}

/// A request to cancel the upload or the download of a file. Nothing is lost: a file whose download is cancelled stays
/// at the service, and a change whose upload is cancelled stays on this machine.
package struct CancelTransferCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.cancelTransfer }
    /// The name of the file's domain.
    package let domain: String
    /// The item number of the file, from ``TransferActivity/file``.
    package let file: Int64
    /// Whether to cancel the upload. If `false`, the download is cancelled.
    package let isUpload: Bool

    package init(domain: String, file: Int64, isUpload: Bool) {
        self.domain = domain
        self.file = file
        self.isUpload = isUpload
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.file), Field(2, \.isUpload))

    package enum Outcome: UInt8, Sendable, MessageValue {
        case cancelled = 0
        /// The upload was not cancelled, because it had already begun. It will complete.
        case hasBegun = 1
        /// The download was not cancelled, because the file is pinned.
        case isKept = 2
        /// The transfer has already ended.
        case isOver = 3
    }

    package struct Reply: SchemaMessage {
        package let outcome: Outcome

        package init(outcome: Outcome) { self.outcome = outcome }

        package static let schema = Schema(Self.init, Field(0, \.outcome))
    }
}
