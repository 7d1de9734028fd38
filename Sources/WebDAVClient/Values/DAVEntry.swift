import HTTPTransport
import XMLStream

/// A file or directory at the server, with its properties.
public struct DAVEntry: Sendable {
    /// The name as the server spells it, which may differ in Unicode normalization from the name with which the item
    /// was created. Empty for the root of a server.
    public let name: String
    /// The address.
    public let address: HTTPAddress
    /// Whether it is a directory.
    public let isDirectory: Bool
    /// The number of bytes, or `nil` if the server does not report it.
    public let length: Int?
    /// The entity tag.
    public let tag: DAVEntityTag?
    /// The date of the last change.
    public let modified: HTTPDate?
    /// The MIME type.
    public let contentType: String?
    /// The account's quota, if it was requested.
    public let quota: DAVQuota?
    /// The locks, if they were requested.
    public let locks: [DAVActiveLock]
    /// Whether the file changed so shortly before the reply that the version must be read again before an edit is based
    /// on it: ``DAVVersion/isRacy(at:)``.
    public let isRacy: Bool
    /// The requested properties that the server has.
    public let properties: [DAVElement]

    /// The state of the file.
    public var version: DAVVersion { DAVVersion(tag: tag, length: length, modified: modified) }

    /// Returns the property with the given name; `nil` if the server does not have it.
    public func property(_ name: XMLName) -> DAVElement? { properties.first { $0.name == name } }

    /// Creates the entry of a file from the reply to its upload. The values equal those that a listing would have.
    package init(
        file name: String, address: HTTPAddress, length: Int, tag: DAVEntityTag, modified: HTTPDate,
        properties: [DAVElement]
    ) {
        (self.name, self.address, self.length, self.tag, self.modified) = (name, address, length, tag, modified)
        (isDirectory, contentType, quota, locks, isRacy) = (false, nil, nil, [], false)
        self.properties = properties
    }

    init(_ response: DAVResponse, name: String, address: HTTPAddress, date: HTTPDate?) {
        self.name = name
        properties = response.properties
        func text(_ local: String) -> String? {
            let text = response.properties.first { $0.name == .dav(local) }?.text.trimmed ?? ""
            return text.isEmpty ? nil : String(text)
        }
        let type = response.properties.first { $0.name == .dav("resourcetype") }
        isDirectory = type?.child("collection") != nil
        self.address = isDirectory ? address.asDirectory : address
        length = text("getcontentlength").flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
        tag = text("getetag").flatMap { DAVEntityTag($0) }
        modified = text("getlastmodified").flatMap { HTTPDate($0) }
        contentType = text("getcontenttype")
        quota = DAVQuota(available: text("quota-available-bytes"), used: text("quota-used-bytes"))
        locks = response.properties.first { $0.name == .dav("lockdiscovery") }.map { DAVActiveLock.all(in: $0) } ?? []
        isRacy = DAVVersion(tag: tag, length: length, modified: modified).isRacy(at: date)
    }
}

/// The quota of an account (RFC 4331).
public struct DAVQuota: Hashable, Sendable, Codable {
    /// The number of bytes that can still be written; `nil` if the server does not know the number or has no limit.
    public let available: Int?
    /// The number of bytes that are used.
    public let used: Int?

    /// Parses the server's numbers. Nextcloud sends negative numbers for space that is not computed, unknown or
    /// unlimited.
    ///
    /// - Returns: `nil` if the server reports neither number.
    init?(available: String?, used: String?) {
        let (free, taken) = (available.flatMap { Int($0.trimmed) }, used.flatMap { Int($0.trimmed) })
        guard free != nil || taken != nil else { return nil }
        self.available = free.flatMap { $0 < 0 ? nil : $0 }
        self.used = taken.flatMap { $0 < 0 ? nil : $0 }
    }
}
