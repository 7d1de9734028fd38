import Foundation
import LinuxSystem

/// One item that is to be read or written, for ``NSFileCoordinator/coordinate(with:queue:byAccessor:)``.
///
/// Source: Foundation, `NSFileCoordinator.h`.
open class NSFileAccessIntent: NSObject {
    let item: ClaimedItem
    private let current: Lock<URL>

    init(_ item: ClaimedItem) {
        self.item = item
        current = Lock(item.url)
    }

    /// An item that is to be read.
    open class func readingIntent(with url: URL, options: NSFileCoordinator.ReadingOptions = []) -> NSFileAccessIntent {
        NSFileAccessIntent(.reading(url, options))
    }

    /// An item that is to be written.
    open class func writingIntent(with url: URL, options: NSFileCoordinator.WritingOptions = []) -> NSFileAccessIntent {
        NSFileAccessIntent(.writing(url, options))
    }

    /// Where the item is: in the accessor, where it is by then.
    open var url: URL { current.withLock { $0 } }

    func move(to url: URL) { current.withLock { $0 = url } }
}

/// Intents while they are waited for.
struct SharedIntents: @unchecked Sendable {
    // Sendable: of the intents only the items, which never change, and the URL, which has a lock, are used.
    let intents: [NSFileAccessIntent]

    init(_ intents: [NSFileAccessIntent]) { self.intents = intents }

    var items: [ClaimedItem] { intents.map(\.item) }

    func move(to urls: [URL]) {
        for (intent, url) in zip(intents, urls) { intent.move(to: url) }
    }
}
