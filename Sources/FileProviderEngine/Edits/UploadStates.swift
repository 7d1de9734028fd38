import FileProviderWire
import ItemStore
import LinuxSystem

/// The progress of one edit towards the provider's service.
package struct UploadState: Sendable, Equatable {
    /// Whether a request is running at the provider, or the provider has accepted the edit and its service does not
    /// have the edit yet.
    package var isUnderWay = false
    /// The number of bytes that the service has received, and the total number of bytes, as the provider reports them.
    /// Both are 0 if the provider reports nothing.
    package var sent: Int64 = 0
    package var total: Int64 = 0
    /// The failure of the last attempt to send the edit; `nil` if it did not fail.
    package var failure: ProviderError?

    package init(isUnderWay: Bool = false, sent: Int64 = 0, total: Int64 = 0, failure: ProviderError? = nil) {
        self.isUnderWay = isUnderWay
        self.sent = sent
        self.total = total
        self.failure = failure
    }
}

/// The upload states of edited items, for programs that display these items. Written on the engine's thread, read on
/// any thread.
package final class UploadStates: Sendable {
    // Leaf lock.
    private let states = Lock<[ItemNumber: UploadState]>([:])
    private let log: StateChangeLog.Writer?

    /// Creates an empty set of states.
    ///
    /// - Parameter log: Notified when a displayed part of an item's state changes. Progress reports alone cause no
    ///   notification.
    init(log: StateChangeLog.Writer?) { self.log = log }

    /// Returns the upload state of the given item; `nil` if there is none, as for an item that was not edited.
    package subscript(number: ItemNumber) -> UploadState? { states.withLock { $0[number] } }

    func update(_ number: ItemNumber, _ change: (inout UploadState) -> Void) {
        let isOther = states.withLock { states in
            let before = states[number] ?? UploadState()
            var state = before
            change(&state)
            states[number] = state == UploadState() ? nil : state
            return state.isUnderWay != before.isUnderWay || state.failure != before.failure
        }
        if isOther { log?.note(number) }
    }

    func forget(_ number: ItemNumber) {
        if states.withLock({ $0.removeValue(forKey: number) }) != nil { log?.note(number) }
    }
}
