/// What an engine is told about its domain.
package struct DomainConfiguration: Sendable {
    package var identifier: String
    package var displayName: String
    /// Where the index, the journal and edited files are; made if it is not there.
    package var dataFolder: String
    /// Where clean contents are; made if it is not there. Everything in it may be removed at any time.
    package var cacheFolder: String
    /// The most bytes of clean contents that may stay, apart from those of files that are to be kept. What is open stays
    /// beyond that.
    package var cacheLimit: Int64
    /// How many items a page is suggested to have.
    package var pageSize = 2000
    /// A folder that is looked into is asked for again after so many seconds, behind whoever looks.
    package var refreshAge = 10.0
    /// How many files are fetched at the same time.
    package var fetchLimit = 4
    /// How many folders are listed or asked for changes at the same time.
    package var listingLimit = 8
    /// After so many pages in a row in which nothing is new, a listing is taken to have no end.
    package var pagesWithoutNews = 32
    /// A listing of more items than these is taken for one that never ends.
    package var itemsInFolder = 20_000_000
    /// How many seconds an edited file is left alone after its last closing before it is sent.
    package var settlingTime = 0.3
    /// The provider is told of a file's use when the last one that is known was so many seconds before it.
    package var lastUsedInterval = 3600.0
    /// Another one after each start of the machine.
    package var bootIdentifier = SystemBoot.identifier
    /// And so many seconds later, because nobody waits for it.
    package var lastUsedDelay = 60.0
    /// Whether symbolic links may be made: the provider takes them, or does not say that it does not.
    package var takesSymbolicLinks = true
    /// Where it notes which items may be in another state than before; `nil` where nobody wants to know.
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
