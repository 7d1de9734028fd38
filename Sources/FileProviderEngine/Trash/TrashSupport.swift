import FileProviderWire
import ItemStore
import LinuxSystem

/// Whether a provider has a trash. The API has no call that reports this in advance.
package enum TrashSupport: UInt8, Sendable {
    /// The trash was not listed yet, and the provider has neither accepted nor refused to move an item there.
    case unknown
    /// The provider has listed its trash, or has moved an item there.
    case supported
    /// The provider cannot list a trash.
    case unsupported
    /// The provider refused to move an item to the trash, because it has no trash.
    case refused
}

/// Records whether the provider has a trash. Used only on the engine's thread (see ``EngineContext``).
final class TrashSupportRecord {
    private let context: EngineContext
    private var waiters: [OneShotCompletion<TrashSupport>] = []
    private static let setting = "trash.support"

    init(_ context: EngineContext) { self.context = context }

    var current: TrashSupport { context.resources.trashSupport.withLock { $0 } }

    /// Restores the value that the previous engine recorded.
    func recover() throws(IndexError) {
        guard let byte = try context.index.setting(Self.setting)?.first, let known = TrashSupport(rawValue: byte) else {
            return
        }
        context.resources.trashSupport.withLock { $0 = known }
    }

    /// Records the result of a listing of the trash, and completes the callers of ``wait(_:)``.
    func noteListing(_ result: Result<Void, ProviderError>) {
        switch (result, current) {
        case (.success, .unknown), (.success, .unsupported): set(.supported)
        case (.failure(let failure), .unknown) where failure.kind == .unsupported || failure.kind == .noSuchItem:
            set(.unsupported)
        default: break
        }
        for waiter in waiters { waiter.complete(current) }
        waiters = []
    }

    func set(_ support: TrashSupport) {
        guard support != current else { return }
        context.resources.trashSupport.withLock { $0 = support }
        context.resources.events.tell(.trashSupportChanged)
        // If this cannot be written, the next start asks the provider again.
        _ = try? context.write { writer throws(IndexError) in
            try writer.setSetting(Self.setting, [support.rawValue])
        }
    }

    /// Calls the completion handler after the next listing of the trash, which shows whether the provider has one.
    func wait(_ waiter: OneShotCompletion<TrashSupport>) { waiters.append(waiter) }
}
