import AppExtension

/// An engine's settings for its domain.
package struct DomainConfiguration: Sendable {
    package var identifier: String
    package var displayName: String
    /// The path of the directory for the index, the journal and edited files. Created if it does not exist.
    package var dataFolder: String
    /// The path of the directory for clean contents. Created if it does not exist. Everything in it may be deleted at
    /// any time.
    package var cacheFolder: String
    /// The maximum number of bytes of clean contents, not counting pinned files. Open files are not evicted, even if
    /// they exceed the limit.
    package var cacheLimit: Int64
    /// The policy that chooses the clean files to evict beyond the limit.
    package var evictionPolicy: any EvictionPolicy = LeastRecentlyUsedPolicy()
    /// The suggested number of items of a page.
    package var pageSize = 2000
    /// The age in seconds at which a directory's listing is refreshed when a client opens the directory. The client
    /// does not wait for the refresh.
    package var refreshAge = 10.0
    /// The maximum number of concurrent fetches.
    package var fetchLimit = 4
    /// The maximum number of concurrent uploads.
    package var uploadLimit = 8
    /// The maximum number of concurrent uploads of large files (``largeSize``). More of them would share the same
    /// connection, so that each would wait longer before it can send more bytes.
    package var largeUploadLimit = 8
    /// The number of bytes from which a file counts as large.
    package var largeSize: Int64 = 1 << 20
    /// The maximum number of concurrent listings and requests for changes of directories.
    package var listingLimit = 8
    /// The number of consecutive pages without a new item at which a listing counts as endless.
    package var pagesWithoutNews = 32
    /// The number of items beyond which a listing counts as endless.
    package var itemsInFolder = 20_000_000
    /// The number of seconds between the last close of an edited file and its upload.
    package var settlingTime = 0.3
    /// The minimum time in seconds between two last-used dates of one file that are sent to the provider.
    package var lastUsedInterval = 3600.0
    /// An identifier that changes with each boot of the machine.
    package var bootIdentifier = SystemBoot.identifier
    /// The number of seconds by which sending a last-used date is delayed, because no client waits for it.
    package var lastUsedDelay = 60.0
    /// Whether symbolic links may be created; `false` if the provider declares that it does not accept them.
    package var takesSymbolicLinks = true
    /// The provider's interactions with the user, if at least one of them can forbid an operation; otherwise empty.
    package var forbiddingInteractions: [UserInteraction] = []
    /// Whether background transfers are paused when the engine starts.
    package var isPaused = false
    /// The log of items whose state may have changed, for clients that follow states; `nil` if no client does.
    package var states: StateNotes.Writer?

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
