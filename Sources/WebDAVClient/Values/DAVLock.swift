import HTTPTransport

/// A lock that this client holds.
public struct DAVLock: Hashable, Sendable {
    /// The locked file or directory.
    public let address: HTTPAddress
    /// The lock token, a URI. Requests that carry it may change the locked item.
    public let token: String
    /// The duration after which the server removes the lock; `nil` if the server reported none.
    public let timeout: Duration?
    /// Whether the lock has created an empty file, because nothing existed at the address.
    public let hasCreated: Bool

    /// Creates a lock from stored values, for example after a restart.
    public init(address: HTTPAddress, token: String, timeout: Duration? = nil, hasCreated: Bool = false) {
        self.address = address
        self.token = token
        self.timeout = timeout
        self.hasCreated = hasCreated
    }
}

/// A lock of this or another client, as the server reports it.
public struct DAVActiveLock: Hashable, Sendable {
    /// The lock's token.
    public let token: String?
    /// The text by which the lock's owner is identified, such as a name or address.
    public let owner: String?
    /// The remaining duration of the lock; `nil` if it is unlimited or unknown.
    public let timeout: Duration?

    init(_ element: DAVElement) {
        token = element.child("locktoken")?.child("href").map { String($0.text.trimmed) }
        let text = element.child("owner")?.wholeText.trimmed ?? ""
        owner = text.isEmpty ? nil : String(text.prefix(200))
        timeout = element.child("timeout").flatMap { Duration(lockTimeout: $0.text) }
    }

    /// Reads the property `lockdiscovery`.
    static func all(in element: DAVElement) -> [DAVActiveLock] {
        element.children.filter { $0.name == .dav("activelock") }.map { DAVActiveLock($0) }
    }
}

extension Duration {
    /// Parses `Second-600`. Returns `nil` for `Infinite` and for other texts.
    init?(lockTimeout text: String) {
        let words = text.split(separator: ",").first?.trimmed.split(separator: "-") ?? []
        guard words.count == 2, words[0].isSame("second"), let seconds = UInt32(words[1]) else { return nil }
        self = .seconds(Int64(seconds))
    }
}
