import Foundation
import LinuxSystem

/// One item that is to be read or written, for ``NSFileCoordinator/coordinate(with:queue:byAccessor:)``.
///
/// Source: Foundation, `NSFileCoordinator.h`.
open class NSFileAccessIntent: NSObject {
    private struct State {
        var item: ClaimedItem
        /// Where the item is by now.
        var url: URL
    }

    private let state: Lock<State>

    /// One that names no item, as `NSObject` has it: coordinating with it fails.
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

    /// An item that is to be read.
    open class func readingIntent(with url: URL, options: NSFileCoordinator.ReadingOptions = []) -> Self {
        make(.reading(url, options))
    }

    /// An item that is to be written.
    open class func writingIntent(with url: URL, options: NSFileCoordinator.WritingOptions = []) -> Self {
        make(.writing(url, options))
    }

    /// Where the item is: in the accessor, where it is by then.
    open var url: URL { state.withLock { $0.url } }

    var item: ClaimedItem { state.withLock { $0.item } }

    func move(to url: URL) { state.withLock { $0.url = url } }
}

/// Intents while they are waited for.
struct SharedIntents: @unchecked Sendable {
    // Sendable: of the intents only what is in their lock is used, and a subclass's `init()` was over before they came here.
    let intents: [NSFileAccessIntent]

    init(_ intents: [NSFileAccessIntent]) { self.intents = intents }

    var items: [ClaimedItem] { intents.map(\.item) }

    func move(to urls: [URL]) {
        for (intent, url) in zip(intents, urls) { intent.move(to: url) }
    }
}
