import HTTPTransport
import XMLStream

extension DAVClient {
    /// Requests the capabilities that the server announces at an address.
    public func features(of address: HTTPAddress) async throws(DAVError) -> DAVFeatures {
        DAVFeatures(try await send(request(.options, address)), now: now())
    }

    /// Reads the properties of one file or directory (PROPFIND with depth 0).
    ///
    /// - Parameter hasQuota: whether to ask for the account's quota, which some servers compute slowly.
    public func entry(at address: HTTPAddress, hasQuota: Bool = false) async throws(DAVError) -> DAVEntry {
        let quota = hasQuota ? ["quota-available-bytes", "quota-used-bytes"] : []
        return try await entry(at: address, Self.properties + quota.map { .dav($0) } + additionalProperties)
    }

    /// Reads the locks of a file or directory.
    public func locks(of address: HTTPAddress) async throws(DAVError) -> [DAVActiveLock] {
        try await entry(at: address, [.dav("lockdiscovery")]).locks
    }

    /// Lists a directory (PROPFIND with depth 1).
    public func list(_ directory: HTTPAddress) async throws(DAVError) -> DAVListing {
        try await list(directory, Self.properties + additionalProperties)
    }

    /// Returns the names of all entries of a directory, including those that the server does not show to the user.
    /// Faster than ``list(_:)``.
    public func names(in directory: HTTPAddress) async throws(DAVError) -> Set<String> {
        let listing = try await list(directory, [.dav("resourcetype")])
        var names: Set<String> = []
        while let entries = try await listing.next() { names.formUnion(entries.lazy.map(\.name)) }
        try await listing.requireOnlyForbiddenLeftOut()
        return names.union(await listing.forbiddenNames)
    }

    private func list(_ directory: HTTPAddress, _ properties: [XMLName]) async throws(DAVError) -> DAVListing {
        let request = propfind(directory, depth: 1, properties)
        let stream: HTTPStream
        do {
            stream = try await http.stream(request)
        } catch {
            throw DAVError(error)
        }
        try requireOrigin(of: request, stream.response)
        try await check(stream.response, to: request)
        return try DAVListing(stream)
    }

    private func entry(at address: HTTPAddress, _ properties: [XMLName]) async throws(DAVError) -> DAVEntry {
        try DAVEntry(await send(propfind(address, depth: 0, properties)))
    }

    private func propfind(_ address: HTTPAddress, depth: Int, _ properties: [XMLName]) -> HTTPRequest {
        let names = properties.map { "<\($0.local.xmlEscaped) xmlns=\"\($0.namespace.xmlEscaped)\"/>" }
        var request = request(
            .propfind, address, xml: "<D:propfind xmlns:D=\"DAV:\"><D:prop>\(names.joined())</D:prop></D:propfind>")
        request.headers["Depth"] = String(depth)
        request.acceptsCompression = true
        return request
    }

    private static let properties: [XMLName] = [
        .dav("resourcetype"), .dav("getcontentlength"), .dav("getetag"), .dav("getlastmodified"),
        .dav("getcontenttype"),
    ]

    // MARK: Contents

    /// A condition on the state of a file that is read.
    public enum ReadCondition: Sendable {
        /// Any state.
        case any
        /// The state with this tag. If the file has another tag, the request fails with ``DAVError/changed(_:)``.
        case tag(DAVEntityTag)
        /// Like ``tag(_:)``, but sent as a condition of the range only (`If-Range`), for servers that ignore
        /// `If-Match`.
        case range(DAVEntityTag)
    }

    /// Reads a file or a part of it.
    ///
    /// Also compares the tag after the transfer, because some servers ignore conditions. After
    /// ``DAVError/changed(_:)``, the bytes at the destination may belong to another state of the file.
    public func get(
        _ address: HTTPAddress, range: HTTPByteRange? = nil, if condition: ReadCondition = .any,
        to destination: HTTPDestination
    ) async throws(DAVError) -> DAVContents {
        var request = request(.get, address)
        request.range = range
        var expected: DAVEntityTag?
        switch condition {
        case .any: break
        case .tag(let tag):
            expected = tag
            // A weak tag never satisfies `If-Match`.
            if !tag.isWeak { request.headers["If-Match"] = tag.conditionValue }
        case .range(let tag):
            expected = tag
            if !tag.isWeak, range != nil { request.headers["If-Range"] = tag.conditionValue }
        }
        let response = try await attempt(request, to: destination)
        if response.status == 412, expected != nil { throw .changed(DAVError.name(of: address)) }
        try await check(response, to: request)
        let contents = DAVContents(response)
        if let expected, let tag = contents.tag, tag.opaque != expected.opaque {
            throw .changed(DAVError.name(of: address))
        }
        return contents
    }
}

/// The result of reading a file.
public struct DAVContents: Sendable {
    /// The number of bytes that were written to the destination.
    public let count: Int
    /// The size of the whole file; `nil` if the server does not report it.
    public let size: Int?
    /// The entity tag.
    public let tag: DAVEntityTag?
    /// The date of the last change.
    public let modified: HTTPDate?
    /// Whether the file changed so shortly before the reply that the version must be read again before an edit is based
    /// on it: ``DAVVersion/isRacy(at:)``.
    public let isRacy: Bool
    /// Whether the server sent the whole file although a part was requested.
    public let isWhole: Bool
    /// The bytes, if the destination is in memory.
    public let bytes: [UInt8]

    init(_ response: HTTPResponse) {
        count = response.deliveredCount
        size = response.totalCount
        tag = response.headers["ETag"].flatMap { DAVEntityTag($0) }
        modified = response.headers["Last-Modified"].flatMap { HTTPDate($0) }
        isRacy = DAVVersion(tag: tag, length: size, modified: modified).isRacy(at: response.date)
        isWhole = response.contentRange == nil
        bytes = response.body
    }

    /// The state of the file.
    public var version: DAVVersion { DAVVersion(tag: tag, length: size, modified: modified) }
}
