import Conduit

/// A request for the activity of the daemon and its domains.
package struct DomainsStatusCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.status }

    package init() {}
    package static let schema = Schema(Self.init)

    package struct Reply: SchemaMessage {
        /// The process ID of the daemon.
        package let processID: Int32
        package let domains: [DomainActivity]
        /// Sentences about the limits of extensions that this system is unable to enforce.
        package let weaknesses: [String]

        package init(processID: Int32, domains: [DomainActivity], weaknesses: [String] = []) {
            self.processID = processID
            self.domains = domains
            self.weaknesses = weaknesses
        }

        package static let schema = Schema(
            Self.init, Field(0, \.processID), Field(1, \.domains), Field(2, \.weaknesses, absent: []))
    }
}

/// The activity of a domain.
package struct DomainActivity: Message, Equatable {
    package var domain: DomainDescription
    /// The number of changes that wait for their upload, and of those that are being uploaded.
    package var uploadsWaiting: Int
    package var uploadsInFlight: Int
    package var downloadsWaiting: Int
    package var downloadsInFlight: Int
    /// Sentences about problems that the user must resolve.
    package var faults: [String]
    /// Whether the domain waits for the user to sign in.
    package var needsSignIn = false
    /// The files that are being transferred. Uploads are included if the provider reports their progress.
    package var transfers: [TransferActivity] = []
    /// The number of bytes of clean local contents.
    package var cacheBytes: Int64 = 0
    /// The number of pinned items that are not local yet.
    package var keptMissing = 0
    /// The number of items whose user metadata or attributes wait for their upload, and of those whose user metadata or
    /// attributes are being uploaded.
    package var marksWaiting = 0
    package var marksInFlight = 0
    /// The number of items whose user metadata or attributes are delayed, so that they are sent together with later
    /// changes. They are not included in ``marksWaiting``.
    package var marksPaused = 0
    /// Sentences about unexpected outcomes of edits, the latest last.
    package var notes: [String] = []
    /// Sentences about shortcomings of the provider, for its author.
    package var providerNotes: [String] = []
    /// A sentence with the reason why the last request to the provider failed, or why the provider gets no requests.
    /// `nil` while it replies.
    package var disconnection: String?

    package init(
        domain: DomainDescription, uploadsWaiting: Int = 0, uploadsInFlight: Int = 0, downloadsWaiting: Int = 0,
        downloadsInFlight: Int = 0, faults: [String] = []
    ) {
        self.domain = domain
        self.uploadsWaiting = uploadsWaiting
        self.uploadsInFlight = uploadsInFlight
        self.downloadsWaiting = downloadsWaiting
        self.downloadsInFlight = downloadsInFlight
        self.faults = faults
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decode(forKey: 0)
        uploadsWaiting = try decoder.decode(forKey: 1)
        uploadsInFlight = try decoder.decode(forKey: 2)
        downloadsWaiting = try decoder.decode(forKey: 3)
        downloadsInFlight = try decoder.decode(forKey: 4)
        faults = try decoder.decode(forKey: 5)
        needsSignIn = try decoder.decode(forKey: 6)
        transfers = try decoder.decode(forKey: 7)
        cacheBytes = try decoder.decode(forKey: 8)
        keptMissing = try decoder.decode(forKey: 9)
        marksWaiting = try decoder.decode(forKey: 10)
        marksInFlight = try decoder.decode(forKey: 11)
        notes = try decoder.decode(forKey: 12)
        disconnection = try decoder.decodeIfPresent(forKey: 13)
        marksPaused = try decoder.decodeIfPresent(forKey: 14) ?? 0
        providerNotes = try decoder.decodeIfPresent(forKey: 15) ?? []
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(domain, forKey: 0)
        encoder.encode(uploadsWaiting, forKey: 1)
        encoder.encode(uploadsInFlight, forKey: 2)
        encoder.encode(downloadsWaiting, forKey: 3)
        encoder.encode(downloadsInFlight, forKey: 4)
        encoder.encode(faults, forKey: 5)
        encoder.encode(needsSignIn, forKey: 6)
        encoder.encode(transfers, forKey: 7)
        encoder.encode(cacheBytes, forKey: 8)
        encoder.encode(keptMissing, forKey: 9)
        encoder.encode(marksWaiting, forKey: 10)
        encoder.encode(marksInFlight, forKey: 11)
        encoder.encode(notes, forKey: 12)
        encoder.encodeIfPresent(disconnection, forKey: 13)
        encoder.encode(marksPaused, forKey: 14)
        encoder.encode(providerNotes, forKey: 15)
    }
}

/// A file in transfer.
package struct TransferActivity: SchemaMessage, Equatable {
    package let name: String
    /// Whether the file is being uploaded, not downloaded.
    package let isUpload: Bool
    /// The number of bytes that are transferred, and the total number; 0 if the provider has not reported the number.
    package let done: Int64
    package let total: Int64
    /// The times of the beginning and of the last progress, in seconds since 1970; `nil` if unknown.
    package let begun: Double?
    package let moved: Double?

    package init(
        name: String, isUpload: Bool, done: Int64, total: Int64, begun: Double? = nil, moved: Double? = nil
    ) {
        self.name = name
        self.isUpload = isUpload
        self.done = done
        self.total = total
        self.begun = begun
        self.moved = moved
    }

    /// The progress from 0 to 100.
    package var percent: Int {
        // The provider's numbers are not checked.
        guard total > 0 else { return 0 }
        return Int(min(max(Double(done) * 100 / Double(total), 0), 100))
    }

    package static let schema = Schema(
        Self.init, Field(0, \.name), Field(1, \.isUpload), Field(2, \.done), Field(3, \.total), Field(4, \.begun),
        Field(5, \.moved))
}
