import Conduit

/// A request to perform a custom action on items. The provider reports progress in thousandths. Cancelling the request
/// stops the provider.
package struct ProviderActionCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderActionReply
    package typealias Reply = ProviderReply<ProviderActionReply>
    package static var method: UInt64 { 34 }
    /// The action's identifier in the provider's property list.
    package let action: String
    /// The items' identifiers.
    package let identifiers: [String]
    /// The user's input, if the action asks for it.
    package let input: String?

    /// The maximum number of items of a request.
    package static let mostItems = 10_000
    /// The maximum size of the input in bytes.
    package static let longestInput = 4096

    package init(action: String, identifiers: [String], input: String? = nil) {
        self.action = action
        self.identifiers = identifiers
        self.input = input
    }

    package static let schema = Schema(Self.init, Field(0, \.action), Field(1, \.identifiers), Field(2, \.input))
        .checked { call throws(MessageError) in
            let count = call.identifiers.count
            guard count <= mostItems else { throw .invalid("an action on \(count) items") }
            guard call.input?.utf8.count ?? 0 <= longestInput else { throw .invalid("an input that is too long") }
        }
}

/// The reply of an action to the user.
package struct ProviderActionReply: SchemaMessage, Equatable {
    /// The lines that are shown.
    package let lines: [String]
    /// The address that is shown after the lines, or opened in the browser.
    package let link: String?
    /// Whether the address is to be opened in the browser.
    package let opensLink: Bool

    /// The maximum number of lines, and the maximum size of one line or of the link in bytes.
    package static let (mostLines, longestLine) = (1000, 4096)

    package init(lines: [String] = [], link: String? = nil, opensLink: Bool = false) {
        self.lines = lines
        self.link = link
        self.opensLink = opensLink
    }

    package static let schema = Schema(Self.init, Field(0, \.lines), Field(1, \.link), Field(2, \.opensLink))
        .checked { reply throws(MessageError) in
            guard reply.lines.count <= mostLines,
                (reply.lines + [reply.link].compactMap { $0 }).allSatisfy({ $0.utf8.count <= longestLine })
            else { throw .invalid("a reply of an action that is too long") }
        }
}
