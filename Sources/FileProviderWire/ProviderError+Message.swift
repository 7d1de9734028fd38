import Conduit
import ItemValues

extension ProviderError.Kind: MessageValue {}
extension ProviderItem.Kind: MessageValue {}

extension ProviderError: SchemaMessage {
    /// The maximum number of bytes of the message for the user. A longer message is truncated.
    private static let longestMessage = 4096

    package static let schema = Schema(
        {
            (kind: Kind, domain: String, code: Int, message: String, collidingItem: String?, suggestion: String?)
                throws(MessageError) in
            if let collidingItem, collidingItem.utf8.count > ProviderItem.longestText {
                throw .invalid("an identifier of \(collidingItem.utf8.count) bytes")
            }
            var error = ProviderError(
                kind, message: message.shortened(toBytes: longestMessage),
                domain: domain.shortened(toBytes: longestMessage), code: code)
            error.collidingItem = collidingItem
            error.suggestion = suggestion?.shortened(toBytes: longestMessage)
            return error
        },
        Field(0, \ProviderError.kind), Field(1, \.domain), Field(2, \.code),
        Field(3, { $0.message.shortened(toBytes: longestMessage) }), Field(4, \.collidingItem),
        Field(5, { $0.suggestion?.shortened(toBytes: longestMessage) }))
}

/// A provider's reply to a request: the requested value, or a failure.
package enum ProviderReply<Value: Message>: SchemaMessage {
    case done(Value)
    case failed(ProviderError)

    package init(_ result: Result<Value, ProviderError>) {
        self =
            switch result {
            case .success(let value): .done(value)
            case .failure(let failure): .failed(failure)
            }
    }

    package static var schema: Schema<ProviderReply> {
        Schema(tag: nil) {
            Case(0, Self.done, Field(0, \.self)) { if case .done(let value) = $0 { value } else { nil } }
            Case(1, Self.failed, Field(1, \.self)) { if case .failed(let failure) = $0 { failure } else { nil } }
        }
    }

    package func get() throws(ProviderError) -> Value {
        switch self {
        case .done(let value): return value
        case .failed(let failure): throw failure
        }
    }
}

/// A request to a provider's process, or a request to the daemon about a provider.
package protocol ProviderCall: Call where Reply == ProviderReply<Value> {
    associatedtype Value: Message
}

extension ProviderError {
    /// Creates the failure from the form in which it is stored with an item. A kind that this version of Purvey does
    /// not know becomes `transient`.
    package init(_ recorded: ItemFailure) {
        self.init(
            Kind(rawValue: recorded.kind) ?? .transient, message: recorded.message, domain: recorded.domain,
            code: recorded.code, collidingItem: recorded.collidingItem, suggestion: recorded.suggestion)
    }

    /// The failure in the form in which it is stored with an item.
    package var recorded: ItemFailure {
        ItemFailure(
            kind: kind.rawValue, domain: domain, code: code, message: message, collidingItem: collidingItem,
            suggestion: suggestion)
    }
}

extension ProviderItem {
    /// The failure of the item's last upload, as the provider reports it; `nil` if it reports none.
    package var uploadingError: ProviderError? {
        get { uploadFailure.map { ProviderError($0) } }
        set { uploadFailure = newValue?.recorded }
    }
}
