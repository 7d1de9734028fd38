import FileProviderWire
import Foundation

/// A provider whose custom actions reply to the user, or ask the user for text. `purvey actions` shows the reply, and
/// opens the reply's link in the browser.
///
/// The property list declares the actions as for ``NSFileProviderCustomAction``. If the dictionary of an action has the
/// key `PurveyActionInput`, the user is asked for a text. The key's value describes the text, such as `the name of the
/// user to share with`. If a class conforms to this protocol, the system performs all of its actions with
/// ``performAction(identifier:onItemsWithIdentifiers:input:completionHandler:)``, and none with the function of
/// ``NSFileProviderCustomAction``.
///
/// Source: an addition. On Apple's systems, such actions belong to an extension with a user interface.
public protocol FileProviderReplyingAction: NSObjectProtocol {
    /// Performs an action on items. Called on any thread.
    ///
    /// - Parameters:
    ///   - actionIdentifier: the identifier in the property list.
    ///   - input: the user's text; `nil` if the action does not ask for one.
    ///   - completionHandler: called once.
    /// - Returns: a progress. When it is cancelled, the provider stops the work.
    func performAction(
        identifier actionIdentifier: NSFileProviderExtensionActionIdentifier,
        onItemsWithIdentifiers itemIdentifiers: [NSFileProviderItemIdentifier], input: String?,
        completionHandler: @escaping (FileProviderActionReply?, (any Error)?) -> Void
    ) -> Progress
}

/// The reply of a custom action to the user.
///
/// Source: an addition, see ``FileProviderReplyingAction``.
public struct FileProviderActionReply: Sendable, Equatable {
    /// Lines of text: at most 1,000, each with at most 4,096 bytes.
    public var lines: [String]
    /// A link for the user, such as the address of a shared folder.
    public var link: URL?
    /// Whether to open ``link`` in the browser. If `false`, the link is only shown.
    public var opensLink: Bool

    /// Creates a reply.
    public init(lines: [String] = [], link: URL? = nil, opensLink: Bool = false) {
        self.lines = lines
        self.link = link
        self.opensLink = opensLink
    }

    /// The reply as a message to the engine. Lines and links that exceed the limits are left out.
    var message: ProviderActionReply {
        let longest = ProviderActionReply.longestLine
        let link = link?.absoluteString
        return ProviderActionReply(
            lines: Array(lines.lazy.filter { $0.utf8.count <= longest }.prefix(ProviderActionReply.mostLines)),
            link: link.flatMap { $0.utf8.count <= longest ? $0 : nil }, opensLink: opensLink)
    }
}
