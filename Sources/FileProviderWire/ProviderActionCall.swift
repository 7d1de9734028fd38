import Conduit

/// A request to the provider to perform one of its custom actions on items. The provider reports progress in
/// thousandths. Cancelling the request cancels the action.
package struct ProviderActionCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderActionReply
    package typealias Reply = ProviderReply<ProviderActionReply>
    package static var method: UInt64 { 34 }
    /// The identifier of the action in the provider's property list.
    package let action: String
    /// The identifiers of the items.
    package let identifiers: [String]
    /// The user's input; `nil` if the action does not ask for any.
    package let input: String?

    /// The maximum number of items in one request.
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

/// The reply of an action, for the user.
package struct ProviderActionReply: SchemaMessage, Equatable {
    /// The lines to show.
    package let lines: [String]
    /// The address to show after the lines, or to open in the browser; `nil` if there is none.
    package let link: String?
    /// Whether to open the address in the browser.
    package let opensLink: Bool

    /// The maximum number of lines, and the maximum number of bytes of one line or of the link.
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
