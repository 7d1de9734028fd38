/// The reason why received bytes are not the expected message.
@usableFromInline package enum MessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes are not the CBOR that the message consists of.
    case malformed(CBORError)
    /// The keys of a map are not unsigned integers in ascending order.
    case keysOutOfOrder(offset: Int)
    /// A required key is absent.
    case missing(key: UInt64)
    /// A value refers to a descriptor that did not arrive with the message.
    case missingDescriptor(index: UInt64)
    /// A value is of the right type, but the message's own rules do not allow it.
    case invalid(String)

    @usableFromInline package var description: String {
        switch self {
        case .malformed(let error): "\(error)"
        case .keysOutOfOrder(let offset): "keys out of order, at byte \(offset)"
        case .missing(let key): "key \(key) is missing"
        case .missingDescriptor(let index): "descriptor \(index) did not come with it"
        case .invalid(let words): words
        }
    }
}
