import Foundation
import LinuxSystem

/// An item to be read or written, for ``NSFileCoordinator/coordinate(with:queue:byAccessor:)``.
///
/// Source: Foundation, `NSFileCoordinator.h`.
open class NSFileAccessIntent: NSObject {
    private struct State {
        var item: ClaimedItem
        /// The current URL of the item.
        var url: URL
    }

    private let state: Lock<State>

    /// Creates an intent without an item, as `NSObject` requires. Coordination with it fails.
    public required override init() {
        let nothing = ClaimedItem.reading(URL(string: "none:") ?? URL(fileURLWithPath: "/dev/null"), [])
        state = Lock(State(item: nothing, url: nothing.url))
        super.init()
    }

    private static func make(_ item: ClaimedItem) -> Self {
        let intent = self.init()
        intent.state.withLock { $0 = State(item: item, url: item.url) }
        return intent
    }

    /// Creates an intent to read an item.
    open class func readingIntent(with url: URL, options: NSFileCoordinator.ReadingOptions = []) -> Self {
        make(.reading(url, options))
    }

    /// Creates an intent to write an item.
    open class func writingIntent(with url: URL, options: NSFileCoordinator.WritingOptions = []) -> Self {
        make(.writing(url, options))
    }

    /// The URL of the item. When the accessor runs, this is the current URL, even if the item has moved since the
    /// intent was created.
    open var url: URL { state.withLock { $0.url } }

    var item: ClaimedItem { state.withLock { $0.item } }

    func move(to url: URL) { state.withLock { $0.url = url } }
}

/// The intents of one call. The value may be passed between threads.
struct SharedIntents: @unchecked Sendable {
    // Sendable: only the state in the intents' locks is used, and a subclass's `init()` has finished before.
    let intents: [NSFileAccessIntent]

    init(_ intents: [NSFileAccessIntent]) { self.intents = intents }

    var items: [ClaimedItem] { intents.map(\.item) }

    func move(to urls: [URL]) {
        for (intent, url) in zip(intents, urls) { intent.move(to: url) }
    }
}
