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
        default:
            return performAction(identifier: action, onItemsWithIdentifiers: items) { completionHandler(nil, $0) }
        }
        return Progress(totalUnitCount: 1)
    }
}
