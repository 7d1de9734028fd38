import FileProvider
import Foundation
import ScriptableService

/// The provider whose actions may reply to the user, and ask for a text.
final class ScriptableReplier: ScriptableProvider, FileProviderReplyingAction, @unchecked Sendable {
    func performAction(
        identifier action: NSFileProviderExtensionActionIdentifier,
        onItemsWithIdentifiers items: [NSFileProviderItemIdentifier], input: String?,
        completionHandler: @escaping (FileProviderActionReply?, (any Error)?) -> Void
    ) -> Progress {
        switch action.rawValue {
        case "org.example.versions":
            completionHandler(FileProviderActionReply(lines: ["Monday  5 bytes", "Sunday  4 bytes"]), nil)
        case "org.example.greet":
            let link = URL(string: "https://example.org/to-do")
            completionHandler(FileProviderActionReply(lines: ["Hello, \(input ?? "")"], link: link), nil)
        case "org.example.restore": restore(items, input ?? "", completionHandler)
        default:
            return performAction(identifier: action, onItemsWithIdentifiers: items) { completionHandler(nil, $0) }
        }
        return Progress(totalUnitCount: 1)
    }

    /// Makes the version of Sunday the current one. There is no version of another day.
    private func restore(
        _ items: [NSFileProviderItemIdentifier], _ day: String,
        _ completionHandler: @escaping (FileProviderActionReply?, (any Error)?) -> Void
    ) {
        let result = Result { () throws in
            guard day == "Sunday" else {
                throw NSFileProviderError(
                    .versionNoLongerAvailable,
                    userInfo: [NSLocalizedDescriptionKey: "The version of \(day) has expired."])
            }
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try Data("done".utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            for item in items {
                _ = try client.item(
                    .replace(ServiceItem.known(item), base: nil, modified: Date().timeIntervalSince1970), sending: file)
            }
        }
        switch result {
        case .success: completionHandler(FileProviderActionReply(lines: []), nil)
        case .failure(let error): completionHandler(nil, ServiceClient.error(error))
        }
    }
}
