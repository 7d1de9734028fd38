import Dispatch
import Foundation
import ItemProvider
import LinuxSystem

/// The items that this process has put on a board since it became the board's owner.
final class PasteboardContents: Sendable {
    let board: String

    private struct State {
        var items: [ItemContents] = []
        /// The owners that promised data with `declareTypes` or `addTypes`. Data providers of single items are not
        /// included.
        var owners: [TypeOwner] = []
        var changeCount = 0
        /// A number that grows with each publication.
        var generation = 0
        /// The generation of the current ``Publication``; `nil` if nothing is published. When the current publication
        /// ends, this process no longer owns the board.
        var standing: Int?
        var isOver = false
    }

    // Leaf lock: client code runs after it is released.
    private let state: Lock<State>

    init(board: String, owner: TypeOwner?, items: [ItemContents]) {
        self.board = board
        state = Lock(State(items: items, owners: owner.map { [$0] } ?? []))
    }

    var items: [ItemContents] {
        get { state.withLock { $0.items } }
        set { state.withLock { $0.items = newValue } }
    }

    /// The change count that the board got when this process became the owner. It stays the same while the process
    /// changes the items.
    var changeCount: Int {
        get { state.withLock { $0.changeCount } }
        set { state.withLock { $0.changeCount = newValue } }
    }

    /// Adds an owner, which is notified when the contents are replaced.
    func add(_ owner: TypeOwner) {
        state.withLock { state in
            if !state.owners.contains(where: { $0.identity == owner.identity }) { state.owners.append(owner) }
        }
    }

    /// Whether other contents are known to have replaced these on the board.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Creates a publication for the next offer of the items. The load handlers of that offer retain the publication.
    func makePublication() -> Publication {
        let generation = state.withLock { state in
            state.generation += 1
            return state.generation
        }
        return Publication(self, generation: generation)
    }

    /// Makes the publication with the given generation the current publication; with `nil`, there is none. Returns the
    /// generation of the previous publication.
    func stand(_ generation: Int?) -> Int? {
        state.withLock { state in
            defer { state.standing = generation }
            return state.standing
        }
    }

    fileprivate func ended(_ generation: Int) {
        if state.withLock({ $0.standing == generation }) { end(newOwner: nil) }
    }

    /// Records that other contents have replaced these on the board. Schedules the notification of owners and data
    /// providers on the main thread. Only the first call has an effect.
    func end(newOwner: TypeOwner?) {
        let ended = state.withLock { state in
            defer { state.isOver = true }
            return state.isOver ? nil : (items: state.items, owners: state.owners)
        }
        guard let (items, owners) = ended else { return }
        var finishing: [ObjectIdentifier: @Sendable () -> Void] = [:]
        for item in items { finishing.merge(item.dropPromises()) { first, _ in first } }
        for finish in finishing.values { MainThread.schedule(finish) }
        for owner in owners where owner.identity != newOwner?.identity { owner.tellOfChange(board) }
    }
}

/// An offer of items. The load handlers of the items retain it. When the last load handler is released, the items are
/// not offered any more.
final class Publication: Sendable {
    private let contents: PasteboardContents
    let generation: Int

    init(_ contents: PasteboardContents, generation: Int) {
        self.contents = contents
        self.generation = generation
    }

    deinit { contents.ended(generation) }
}

/// An owner of declared types.
///
/// Sendable because the owner is called on the main thread only, and because the weak reference to the owner is never
/// assigned again: it may be read on every thread.
final class TypeOwner: @unchecked Sendable {
    private weak var object: (any NSPasteboardTypeOwner)?
    private let store: PasteboardStore
    let identity: ObjectIdentifier

    init(_ object: any NSPasteboardTypeOwner, _ store: PasteboardStore) {
        self.object = object
        self.store = store
        identity = ObjectIdentifier(object)
    }

    /// Returns the promise that requests data from the owner.
    func promise(_ name: NSPasteboard.Name) -> ItemContents.ValuePromise {
        ItemContents.ValuePromise(
            keeper: identity,
            keep: { type, item in
                let sender = NSPasteboard(name, self.store, filling: item)
                self.object?.pasteboard(sender, provideDataForType: type)
            },
            finish: nil)
    }

    func tellOfChange(_ board: String) {
        MainThread.schedule {
            self.object?.pasteboardChangedOwner(NSPasteboard(NSPasteboard.name(ofBoard: board), self.store))
        }
    }
}

enum PasteboardError {
    static func notProvided(_ type: NSPasteboard.PasteboardType) -> NSError {
        ItemProviderError.make(.itemUnavailableError, "No program provides the promised data of type \(type.rawValue)")
    }
}
