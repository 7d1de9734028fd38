import Conduit

/// A request for the activity of the daemon and of its domains.
package struct DomainsStatusCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.status }

    package init() {}
    package static let schema = Schema(Self.init)

    package struct Reply: SchemaMessage {
        /// The process ID of the daemon.
        package let processID: Int32
        package let domains: [DomainActivity]
        /// Sentences about limits on extensions that this system cannot enforce.
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
package struct DomainActivity: SchemaMessage, Equatable {
    package var domain: DomainDescription
    /// The number of changes that wait to be uploaded, not counting cancelled uploads, and the number of changes that
    /// are being uploaded.
    package var uploadsWaiting: Int
    package var uploadsInFlight: Int
    package var downloadsWaiting: Int
    package var downloadsInFlight: Int
    /// Sentences about problems that the user must resolve.
    package var faults: [String]
    /// Whether the domain waits for the user to sign in.
    package var needsSignIn = false
    /// The running transfers, followed by the first few waiting transfers and cancelled uploads. A running upload is
    /// included only if the provider reports its progress.
    package var transfers: [TransferActivity] = []
    /// The number of bytes of clean local contents.
    package var cacheBytes: Int64 = 0
    /// The number of pinned items that are not completely local yet.
    package var keptMissing = 0
    /// The number of items whose user metadata or attributes wait to be sent, and the number of items whose user
    /// metadata or attributes are being sent.
    package var marksWaiting = 0
    package var marksInFlight = 0
    /// The number of items whose user metadata or attributes are not due yet. They are sent after a delay, so that
    /// later changes of the same item can be sent with them. ``marksWaiting`` does not include these items.
    package var marksPaused = 0
    /// Sentences about unexpected outcomes of edits, the latest last.
    package var notes: [String] = []
    /// Sentences about shortcomings of the provider, meant for its developer.
    package var providerNotes: [String] = []
    /// One sentence about why the last request to the provider failed, or why the daemon sends it no requests; `nil`
    /// while the provider replies.
    package var disconnection: String?
    /// Whether the user has paused background transfers.
    package var isPaused = false
    /// Whether background transfers wait for a network that is not metered.
    package var waitsForNetwork = false
    /// The user's quota at the service; `nil` if the provider reports none.
    package var quota: DomainQuota?

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

    package static let schema = Schema(
        {
            (
                domain: DomainDescription, uploads: (Int, Int), downloads: (Int, Int), faults: [String],
                contents: (Bool, [TransferActivity], Int64, Int), marks: (Int, Int), notes: ([String], String?),
                others: (Int, [String], Bool, Bool), quota: DomainQuota?
            ) in
            var activity = DomainActivity(
                domain: domain, uploadsWaiting: uploads.0, uploadsInFlight: uploads.1, downloadsWaiting: downloads.0,
                downloadsInFlight: downloads.1, faults: faults)
            (activity.needsSignIn, activity.transfers, activity.cacheBytes, activity.keptMissing) = contents
            (activity.marksWaiting, activity.marksInFlight) = marks
            (activity.notes, activity.disconnection) = notes
            (activity.marksPaused, activity.providerNotes, activity.isPaused, activity.waitsForNetwork) = others
            activity.quota = quota
            return activity
        },
        Field(0, \DomainActivity.domain), group(Field(1, \.uploadsWaiting), Field(2, \.uploadsInFlight)),
        group(Field(3, \.downloadsWaiting), Field(4, \.downloadsInFlight)), Field(5, \.faults),
        group(Field(6, \.needsSignIn), Field(7, \.transfers), Field(8, \.cacheBytes), Field(9, \.keptMissing)),
        group(Field(10, \.marksWaiting), Field(11, \.marksInFlight)),
        group(Field(12, \.notes), Field(13, \.disconnection)),
        group(
            Field(14, \.marksPaused, absent: 0), Field(15, \.providerNotes, absent: []),
            Field(16, \.isPaused, default: false), Field(17, \.waitsForNetwork, default: false)), Field(18, \.quota))
}
