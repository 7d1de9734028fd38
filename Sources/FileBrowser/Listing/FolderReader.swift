import FileProvider

/// Reads the pages of a folder, on no particular thread, and hands them over in batches. So a large folder needs few
/// turns of the thread that draws.
actor FolderReader {
    private let daemon: any DaemonCalling
    private let place: ItemPlace
    private var position: Int64?
    private var isFirst = true
    private var isComplete = false

    /// The time for which pages are collected after the first.
    private static let interval: Duration = .milliseconds(100)

    init(daemon: any DaemonCalling, place: ItemPlace) {
        self.daemon = daemon
        self.place = place
    }

    /// Returns the next items: those of the first page, or of all pages that arrive within a moment. Returns `nil`
    /// after the last.
    func next() async throws(BrowserError) -> [ItemDescription]? {
        guard !isComplete else { return nil }
        var batch: [ItemDescription] = []
        let end = ContinuousClock.now + Self.interval
        repeat {
            let page = try await daemon.call(ListFolderCall(place: place, position: position))
            batch += page.items
            position = page.next
            isComplete = position == nil
        } while !isComplete && !isFirst && ContinuousClock.now < end
        isFirst = false
        return batch
    }
}
