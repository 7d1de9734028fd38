import Dispatch
import Foundation
import ItemProvider
import LinuxSystem

/// One item in the process that writes it: its types in order, each with its data or with a promise of the data.
final class ItemContents: Sendable {
    /// A promise of data. The promise is fulfilled by setting the data of the item.
    struct ValuePromise: Sendable {
        /// The object that made the promise. It may have promised several types.
        let keeper: ObjectIdentifier
        /// The function that sets the item's data of the given type. Called on the main thread.
        let keep: @Sendable (NSPasteboard.PasteboardType, ItemContents) -> Void
        /// The function that is called on the main thread when no more data will be requested.
        let finish: (@Sendable (NSPasteboard) -> Void)?
    }

    private enum Value {
        case data(Data)
        case promised(ValuePromise)
        /// A declared type without data and without a promise.
        case missing
    }

    private struct State {
        var types: [NSPasteboard.PasteboardType] = []
        var values: [NSPasteboard.PasteboardType: Value] = [:]
        /// The pasteboard that the item was written to.
        var pasteboard: NSPasteboard?
        var filePromise: FilePromise?
        weak var handle: NSPasteboardItem?
    }

    // Leaf lock: client code runs after it is released.
    private let state = Lock(State())

    var types: [NSPasteboard.PasteboardType] { state.withLock { $0.types } }

    /// The promise of a file.
    var filePromise: FilePromise? {
        get { state.withLock { $0.filePromise } }
        set { state.withLock { $0.filePromise = newValue } }
    }

    /// The pasteboard that the item was written to.
    var pasteboard: NSPasteboard? { state.withLock { $0.pasteboard } }

    /// Records that the item is on the given pasteboard. Returns `false` if the item is on a pasteboard already.
    func bind(to pasteboard: NSPasteboard) -> Bool {
        state.withLock { state in
            guard state.pasteboard == nil else { return false }
            state.pasteboard = pasteboard
            return true
        }
    }

    /// Undoes ``bind(to:)`` for an item that was not written.
    func unbind() {
        state.withLock { $0.pasteboard = nil }
    }

    /// The `NSPasteboardItem` of these contents. The same object is returned as long as a client retains it.
    var handle: NSPasteboardItem {
        if let handle = state.withLock({ $0.handle }) { return handle }
        return NSPasteboardItem(self)
    }

    func setHandle(_ handle: NSPasteboardItem) {
        state.withLock { $0.handle = handle }
    }

    // MARK: - Values

    /// Sets the item's data of the given type.
    ///
    /// - Returns: whether the type is new to the item; `nil` for an invalid type.
    @discardableResult
    func set(_ data: Data, for type: NSPasteboard.PasteboardType) -> Bool? {
        set(.data(data), for: type)
    }

    /// Promises the item's data of the given types, or only declares the types if `promise` is `nil`. Returns `false`
    /// if a type is invalid, or if `types` is empty.
    @discardableResult
    func promise(_ types: [NSPasteboard.PasteboardType], by promise: ValuePromise?) -> Bool {
        types.reduce(!types.isEmpty) { done, type in
            set(promise.map { .promised($0) } ?? .missing, for: type) != nil && done
        }
    }

    private func set(_ value: Value, for type: NSPasteboard.PasteboardType) -> Bool? {
        guard !type.rawValue.isEmpty else { return nil }
        let (old, pasteboard) = state.withLock { state in
            if state.values[type] == nil { state.types.append(type) }
            return (state.values.updateValue(value, forKey: type), state.pasteboard)
        }
        if case .promised(let promise)? = old, let finish = promise.finish, let pasteboard,
            !pasteboard.store.hasPromises(of: promise.keeper, on: pasteboard.name.board)
        {
            MainThread.schedule { finish(pasteboard) }
        }
        return old == nil
    }

    /// Whether the object `keeper` has promised, and not yet provided, data of this item.
    func hasPromises(of keeper: ObjectIdentifier) -> Bool {
        state.withLock { state in
            state.values.values.contains { value in
                if case .promised(let promise) = value { promise.keeper == keeper } else { false }
            }
        }
    }

    /// Returns the item's data of the given type; `nil` if there is none. Requests promised data, and blocks until the
    /// data is set.
    ///
    /// - Parameter limit: the time to wait for the main thread.
    func data(for type: NSPasteboard.PasteboardType, within limit: DispatchTimeInterval) -> Data? {
        switch state.withLock({ $0.values[type] }) {
        case .data(let data): return data
        case .missing, nil: return nil
        case .promised:
            // `keep` reads the value again on the main thread, because the data may have been set meanwhile for another
            // thread.
            guard MainThread.perform(within: limit, { self.keep(type) }) else { return nil }
            if case .data(let data) = state.withLock({ $0.values[type] }) { return data }
            return nil
        }
    }

    private func keep(_ type: NSPasteboard.PasteboardType) {
        guard case .promised(let promise) = state.withLock({ $0.values[type] }) else { return }
        promise.keep(type, self)
    }

    /// Requests all promised data that was not provided yet, until a deadline.
    func keepPromises(until deadline: DispatchTime) {
        for type in types {
            let rest = deadline.uptimeNanoseconds.subtractingReportingOverflow(DispatchTime.now().uptimeNanoseconds)
            guard !rest.overflow else { return }
            _ = data(for: type, within: .nanoseconds(Int(clamping: rest.partialValue)))
        }
    }

    /// Drops the promises. Returns the functions that notify the objects that made the promises, one function for each
    /// object.
    func dropPromises() -> [ObjectIdentifier: @Sendable () -> Void] {
        state.withLock { state in
            var finishing: [ObjectIdentifier: @Sendable () -> Void] = [:]
            for (type, value) in state.values {
                guard case .promised(let promise) = value else { continue }
                if let finish = promise.finish, let pasteboard = state.pasteboard {
                    finishing[promise.keeper] = { finish(pasteboard) }
                }
                state.values[type] = .missing
            }
            return finishing
        }
    }
}

// MARK: - Offering

extension ItemContents {
    /// Returns an item provider that offers the item to other processes; `nil` if the item has neither a type nor a
    /// promised file.
    ///
    /// - Parameters:
    ///   - publication: an object that the item provider retains as long as the item is offered.
    ///   - limit: the time to wait for the main thread when promised data is requested.
    func makeProvider(_ publication: Publication, within limit: DispatchTimeInterval) -> NSItemProvider? {
        let provider = NSItemProvider()
        for type in types {
            provider.registerDataRepresentation(forTypeIdentifier: type.rawValue, visibility: .all) { completion in
                withExtendedLifetime(publication) {
                    let data = self.data(for: type, within: limit)
                    completion(data, data == nil ? PasteboardError.notProvided(type) : nil)
                }
                return nil
            }
        }
        if let filePromise {
            provider.register(
                filePromise.representation { completion in
                    withExtendedLifetime(publication) { filePromise.supply(completion) }
                })
        }
        return provider.representations.isEmpty ? nil : provider
    }

    /// The types that other processes see.
    var offeredTypes: [NSPasteboard.PasteboardType] {
        let types = types
        guard let file = filePromise.map({ NSPasteboard.PasteboardType($0.fileType) }), !types.contains(file) else {
            return types
        }
        return types + [file]
    }

    /// Returns the data of the promised file if the file has the given type. Makes the file's delegate write the file
    /// now, and blocks until it is written.
    func fileData(for type: NSPasteboard.PasteboardType) -> Data? {
        guard let filePromise, filePromise.fileType == type.rawValue, !types.contains(type), let pasteboard else {
            return nil
        }
        let provider = NSItemProvider()
        provider.register(filePromise.representation { filePromise.supply($0) })
        return OfferedItem(
            provider.promise, on: pasteboard.name.board, changeCount: 0, index: 0, pasteboard.store
        ).data(for: type)
    }
}
