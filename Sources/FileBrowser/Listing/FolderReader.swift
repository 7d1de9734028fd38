import DomainMessages
import FileProvider

/// A reader of a folder's pages. It runs outside of the main actor and returns the items in batches, so that a large
/// folder rarely interrupts the drawing.
actor FolderReader {
    private let daemon: any DaemonCalling
    private let place: ItemPlace
    private var position: Int64?
    private var isFirst = true
    private var types: [String: String] = [:]
    private var isComplete = false

    /// The duration for which pages after the first page are collected into one batch.
    private static let interval: Duration = .milliseconds(100)

    init(daemon: any DaemonCalling, place: ItemPlace) {
        self.daemon = daemon
        self.place = place
    }

    /// Returns the item with its type identifier replaced by an equal string that other items share, which saves
    /// memory.
    private func sharingType(_ item: ItemDescription) -> ItemDescription {
        var item = item
        if let known = types[item.contentType] {
            item.contentType = known
        } else {
            types[item.contentType] = item.contentType
        }
        return item
    }

    /// Returns the next items: in the first call, the items of the first page; in each later call, the items of all
    /// pages that arrive within ``interval``. Returns `nil` after the last page.
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
