import AppExtension

/// An engine's settings for its domain.
package struct DomainConfiguration: Sendable {
    package var identifier: String
    package var displayName: String
    /// The path of the directory for the index, the journal and edited files. The engine creates it if it does not
    /// exist.
    package var dataFolder: String
    /// The path of the directory for clean contents. The engine creates it if it does not exist. Everything in it may
    /// be deleted at any time.
    package var cacheFolder: String
    /// The maximum number of bytes of clean contents, not counting pinned files. Open files are not evicted, even if
    /// the clean contents exceed this limit.
    package var cacheLimit: Int64
    /// The policy that chooses the clean files to evict when their contents exceed ``cacheLimit``.
    package var evictionPolicy: any EvictionPolicy = LeastRecentlyUsedPolicy()
    /// The number of items in one page of a listing that the engine suggests to the provider.
    package var pageSize = 2000
    /// The minimum age of a directory's listing in seconds at which opening the directory causes a refresh. The client
    /// that opens it does not wait for the refresh.
    package var refreshAge = 10.0
    /// The maximum number of concurrent fetches.
    package var fetchLimit = 4
    /// The maximum number of concurrent uploads.
    package var uploadLimit = 8
    /// The maximum number of concurrent uploads of files of at least ``largeSize`` bytes. With more such uploads, which
    /// share one connection, each would wait longer before it can send more bytes.
    package var largeUploadLimit = 8
    /// The minimum number of bytes of a file that counts as large.
    package var largeSize: Int64 = 1 << 20
    /// The maximum number of concurrent requests to list directories or to fetch their changes.
    package var listingLimit = 8
    /// The number of consecutive pages without a new item after which a listing counts as endless.
    package var pagesWithoutNews = 32
    /// The maximum number of items in a listing. A listing with more items counts as endless.
    package var itemsInFolder = 20_000_000
    /// The delay in seconds between the last close of an edited file and the start of its upload.
    package var settlingTime = 0.3
    /// The minimum interval in seconds between two last-used dates of the same file that are sent to the provider.
    package var lastUsedInterval = 3600.0
    /// An identifier that changes with each boot of the machine.
    package var bootIdentifier = SystemBoot.identifier
    /// The delay in seconds before a last-used date is sent. No client waits for it.
    package var lastUsedDelay = 60.0
    /// Whether symbolic links may be created; `false` if the provider declares that it does not accept them.
    package var takesSymbolicLinks = true
    /// The alerts that the provider declares for operations of the user; empty if none of them can forbid an operation.
    package var forbiddingInteractions: [UserInteraction] = []
    /// Whether background transfers are paused when the engine starts.
    package var isPaused = false
    /// The log in which the engine records the items whose state may have changed, for clients that follow states;
    /// `nil` if no client does.
    package var states: StateChangeLog.Writer?

    package init(
        identifier: String, displayName: String, dataFolder: String, cacheFolder: String, cacheLimit: Int64 = 10 << 30
    ) {
        self.identifier = identifier
        self.displayName = displayName
        self.dataFolder = dataFolder
        self.cacheFolder = cacheFolder
        self.cacheLimit = cacheLimit
    }
}
