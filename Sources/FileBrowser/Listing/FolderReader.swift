import DomainMessages
import FileProvider

/// The reader of a folder's pages. It runs outside of the main actor and returns the items in batches, so that a large
/// folder interrupts the drawing only a few times.
actor FolderReader {
    private let daemon: any DaemonCalling
    private let place: ItemPlace
    private var position: Int64?
    private var isFirst = true
    private var types: [String: String] = [:]
    private var isComplete = false

    /// The time for which pages are collected after the first.
    private static let interval: Duration = .milliseconds(100)

    init(daemon: any DaemonCalling, place: ItemPlace) {
        self.daemon = daemon
        self.place = place
    }

    /// Returns an item whose type shares its memory with other items of the type.
    private func sharingType(_ item: ItemDescription) -> ItemDescription {
        var item = item
        if let known = types[item.contentType] {
            item.contentType = known
        } else {
            types[item.contentType] = item.contentType
        }
        return item
    }

    /// Returns the next items: those of the first page, or of all pages that arrive within a moment. Returns `nil`
    /// after the last.
    func next() async throws(BrowserError) -> [ItemDescription]? {
        guard !isComplete else { return nil }
        var batch: [ItemDescription] = []
        let end = ContinuousClock.now + Self.interval
        repeat {
            let page = try await daemon.call(ListFolderCall(place: place, position: position))
            batch += page.items.map(sharingType)
            position = page.next
            isComplete = position == nil
        } while !isComplete && !isFirst && ContinuousClock.now < end
        isFirst = false
        return batch
    }
}
