import FileProvider
import LinuxSystem

/// How far one edit is on its way to the service.
package struct UploadState: Sendable, Equatable {
    /// The provider is asked, or has it and the service does not yet.
    package var isUnderWay = false
    /// Bytes that the service has, and in all, as far as the provider says; 0 where it does not.
    package var sent: Int64 = 0
    package var total: Int64 = 0
    /// Why it was not taken, the last time.
    package var failure: ProviderFailure?

    package init(isUnderWay: Bool = false, sent: Int64 = 0, total: Int64 = 0, failure: ProviderFailure? = nil) {
        self.isUnderWay = isUnderWay
        self.sent = sent
        self.total = total
        self.failure = failure
    }
}

/// The states of the edits that have one, for those who show items: written on the engine's thread, read on any.
package final class UploadStates: Sendable {
    // Innermost.
    private let states = Lock<[ItemNumber: UploadState]>([:])
    private let notes: StateNotes.Writer?

    /// - Parameter notes: told of whatever an item's state depends on, and not of every byte.
    init(notes: StateNotes.Writer?) { self.notes = notes }

    /// `nil` where nothing is known, as of an item that was not edited.
    package subscript(number: ItemNumber) -> UploadState? { states.withLock { $0[number] } }

    func update(_ number: ItemNumber, _ change: (inout UploadState) -> Void) {
        let isOther = states.withLock { states in
            let before = states[number] ?? UploadState()
            var state = before
            change(&state)
            states[number] = state == UploadState() ? nil : state
            return state.isUnderWay != before.isUnderWay || state.failure != before.failure
        }
        if isOther { notes?.note(number) }
    }

    func forget(_ number: ItemNumber) {
        if states.withLock({ $0.removeValue(forKey: number) }) != nil { notes?.note(number) }
    }
}

extension DomainEngine {
    /// Whether an item is on its way may be different now.
    func noteProgress(of number: ItemNumber) {
        let isUnderWay = edits.running[number] != nil || edits.sent[number] != nil
        uploads.update(number) { state in
            state.isUnderWay = isUnderWay
            if !isUnderWay { (state.sent, state.total) = (0, 0) }
        }
    }

    /// The provider says how far it is with sending an item.
    package func noteUpload(of identifier: String, sent: Int64, total: Int64) {
        guard sent >= 0, total >= sent, let row = try? index.item(identifier: identifier), !row.changes.isEmpty else {
            return
        }
        uploads.update(row.number) { ($0.sent, $0.total) = (sent, total) }
        configuration.states?.note(row.number)
    }
}
