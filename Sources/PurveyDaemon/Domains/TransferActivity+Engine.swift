import DomainMessages
import FileProviderEngine
import FileProviderWire
import ItemStore

/// Describes the transfers of an engine to clients.
extension TransferActivity {
    /// The maximum number of listed waiting downloads, of waiting uploads, and of cancelled uploads. Longer lists do
    /// not help the user.
    private static let mostListed = 100

    /// Returns the running downloads, the running uploads whose progress the provider reports, and at most
    /// ``mostListed`` each of the waiting downloads, the waiting uploads and the cancelled uploads.
    static func all(_ downloads: [DomainStatus.Transfer], _ edits: [EditStatus.Item]) -> [TransferActivity] {
        // Not every provider reports the progress of uploads.
        let sending = edits.filter { $0.total > 0 && $0.isUnderWay }
        let files = edits.filter { $0.sendsContents && !$0.isUnderWay }
        return downloads.filter { !$0.isWaiting }.map(Self.init)
            + sending.map { Self($0, .running) }
            + downloads.filter(\.isWaiting).prefix(mostListed).map(Self.init)
            + files.filter(\.canBeCancelled).prefix(mostListed).map { Self($0, .waiting) }
            + files.filter(\.isCancelled).prefix(mostListed).map { Self($0, .cancelled) }
    }

    private init(_ download: DomainStatus.Transfer) {
        self.init(
            name: download.name, isUpload: false, done: download.done, total: download.total, begun: download.begun,
            moved: download.moved, file: download.number.rawValue, state: download.isWaiting ? .waiting : .running,
            canBeCancelled: !download.isPinned)
    }

    private init(_ edit: EditStatus.Item, _ state: State) {
        self.init(
            name: edit.name, isUpload: true, done: edit.sent, total: edit.total, file: edit.number.rawValue,
            state: state, canBeCancelled: state == .waiting)
    }
}

extension EditStatus.Item {
    /// Whether the edit is a waiting transfer, which can be cancelled. An edit whose failure the user must resolve is
    /// reported separately, unless the failure is a missing sign-in.
    fileprivate var canBeCancelled: Bool {
        guard let failure, failure.kind != .notAuthenticated else { return true }
        return !failure.needsUser
    }
}
