import FileProvider
import Foundation
import LinuxSystem

/// Performs custom actions of the user on items.
extension LocalFolderExtension: NSFileProviderCustomAction {
    /// The identifier of the action that copies files into the same directory.
    static let duplicate = "org.purvey.LocalFolder.duplicate"

    package func performAction(
        identifier action: NSFileProviderExtensionActionIdentifier,
        onItemsWithIdentifiers items: [NSFileProviderItemIdentifier],
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: Int64(items.count))
        guard action.rawValue == Self.duplicate else {
            completionHandler(CocoaError(.featureUnsupported))
            return progress
        }
        let work = ActionWork(progress: progress, end: completionHandler)
        HandlerThreads.shared.run { [self] in
            work.end(Result { try duplicate(items, work) }.failure.map { error(FolderError($0)) })
            signal()
        }
        return progress
    }

    private func duplicate(_ items: [NSFileProviderItemIdentifier], _ work: ActionWork) throws {
        for item in items {
            if work.progress.isCancelled { throw CocoaError(.userCancelled) }
            try duplicate(try known(item))
            work.progress.completedUnitCount += 1
        }
    }

    private func duplicate(_ identifier: String) throws {
        let catalogue = try catalogue()
        // A copy would lack the unsent edit.
        let edits = try copies.edits(of: identifier, catalogue)
        guard edits.isEmpty, !hasUnsentEdit(identifier) else { throw FolderError.busy }
        let copy = temporaryFolder.appendingPathComponent("copy-" + UUID().uuidString, isDirectory: false)
        defer { try? FileManager.default.removeItem(at: copy) }
        let item = try catalogue.copyOut(identifier, to: copy.path)
        let parent = try catalogue.perform { $0.identifier(of: item.parent) }
        _ = try catalogue.copyIn(copy.path, into: parent) { Self.name(ofCopy: $0, of: item.filename) }
    }

    /// Returns a copy's name: "Plan copy.txt", "Plan copy 2.txt", and so on.
    private static func name(ofCopy number: Int, of name: String) -> String {
        let ending = (name as NSString).pathExtension
        let plain = ending.isEmpty ? name : String(name.dropLast(ending.count + 1))
        let words = (number == 1 ? " copy" : " copy \(number)") + (ending.isEmpty ? "" : "." + ending)
        var stem = plain[...]
        // The longest name of a Linux file system has 255 bytes.
        while !stem.isEmpty, stem.utf8.count + words.utf8.count > 255 { stem.removeLast() }
        return stem + words
    }
}

/// The progress and the completion handler of an action.
///
/// Sendable: the handler belongs to the system, which permits calls from any thread. It is called once. The progress is
/// changed by one thread, and cancelled by others.
private struct ActionWork: @unchecked Sendable {
    let progress: Progress
    let end: ((any Error)?) -> Void
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
