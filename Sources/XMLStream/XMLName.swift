/// The name of an element or attribute with its namespace resolved.
///
///     let response = XMLName("DAV:", "response")
public struct XMLName: Hashable, Sendable, CustomStringConvertible {
    /// The namespace, or an empty string for a name that has none.
    public let namespace: String
    /// The name without a prefix.
    public let local: String

    /// Creates a name.
    public init(_ namespace: String, _ local: String) {
        self.namespace = namespace
        self.local = local
    }

    /// The name as `{namespace}local`.
    public var description: String { namespace.isEmpty ? local : "{\(namespace)}\(local)" }
}
