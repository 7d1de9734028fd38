import HTTPTransport
import XMLStream

/// The entries of a directory, which are returned while they arrive from the server. Releasing the listing ends the
/// transfer.
///
/// Only one task may read the listing. The listing stores no entries, so that a directory of any size needs little
/// memory. An entry that the server sends twice is returned twice.
///
///     let listing = try await client.list(directory)
///     while let entries = try await listing.next() { … }
public actor DAVListing {
    /// The listed directory, after redirects.
    public nonisolated let address: HTTPAddress
    /// The date of the reply by the server's clock.
    public nonisolated let date: HTTPDate?
    /// The directory's own properties; `nil` until the server has sent them.
    public private(set) var directory: DAVEntry?
    /// The number of existing entries that are left out, for one of three reasons: no file on this machine can have
    /// their names (such as names that are not UTF-8), the user may not see them, or their addresses are not in the
    /// directory.
    public private(set) var refusedCount = 0
    /// The names or addresses of the first 100 entries that are left out. Bytes that are not UTF-8 are replaced.
    public private(set) var refusedNames: [String] = []
    /// The names of entries that the user may not see.
    public private(set) var forbiddenNames: [String] = []
    /// The number of entries of subdirectories. Only a server that ignores the requested depth sends them.
    public private(set) var deeperCount = 0

    private let stream: HTTPStream
    private let parser: XMLStreamParser
    private var builder = DAVTreeBuilder(depth: 1)
    private let path: [[UInt8]]
    /// Whether the reply contains entries that are not in this directory.
    private var hasStrangers = false
    /// Whether the reply contains entries of this directory.
    private var hasEntries = false
    private var isOver = false
    /// The error with which the listing ended. Each further call throws it again.
    private var failure: DAVError?
    /// The beginning of the reply. It shows whether the server sent a web page instead of a listing.
    private var beginning: [UInt8] = []

    init(_ stream: HTTPStream) throws(DAVError) {
        let response = stream.response
        guard let path = DAVHref(response.address.path) else {
            throw .invalidReply(response.address.origin, "its address has “..” in it")
        }
        self.stream = stream
        self.path = path.components
        address = response.address
        date = response.date
        do {
            parser = try XMLStreamParser()
        } catch {
            throw .invalidReply(response.address.origin, error.description)
        }
    }

    /// Waits for the next entries, and returns them. Returns `nil` at the end of a complete listing.
    ///
    /// After an error, the listing is incomplete. Entries that are missing from it may still exist.
    public func next() async throws(DAVError) -> [DAVEntry]? {
        if let failure { throw failure }
        do {
            return try await nextEntries()
        } catch {
            failure = error
            throw error
        }
    }

    private func nextEntries() async throws(DAVError) -> [DAVEntry]? {
        while !isOver {
            let responses = try await nextResponses()
            var entries: [DAVEntry] = []
            for response in responses { try take(response, into: &entries) }
            if !entries.isEmpty { return entries }
        }
        // A complete listing contains the directory itself. Some servers omit it if the listing has other entries.
        guard directory != nil || (hasEntries && !hasStrangers) else {
            let reason = hasStrangers ? "it lists another directory" : "it is a listing without the directory itself"
            throw .invalidReply(address.origin, reason)
        }
        return nil
    }

    /// Reads all entries into memory. Meant for directories that are known to be small.
    public func all() async throws(DAVError) -> [DAVEntry] {
        var entries: [DAVEntry] = []
        while let next = try await next() { entries += next }
        return entries
    }

    /// Checks that the listing, which must be at its end, has left out no entries of the directory. Called before the
    /// directory is removed, because such entries would be removed with it.
    ///
    /// - Throws: ``DAVError/partial(_:status:count:)`` with the first entry that was left out.
    public func requireNothingLeftOut() throws(DAVError) { try requireNothing(but: 0) }

    /// Checks that the listing, which must be at its end, has left out only entries that the user may not see, whose
    /// names are in ``forbiddenNames``.
    func requireOnlyForbiddenLeftOut() throws(DAVError) { try requireNothing(but: forbiddenNames.count) }

    private func requireNothing(but known: Int) throws(DAVError) {
        let count = refusedCount - known + deeperCount
        guard count == 0 else {
            throw .partial(refusedNames.first ?? DAVError.name(of: address), status: 409, count: count)
        }
    }

    private func nextResponses() async throws(DAVError) -> [DAVResponse] {
        let bytes: [UInt8]?
        do {
            bytes = try await stream.next()
        } catch {
            throw DAVError(error)
        }
        do throws(XMLStreamError) {
            guard let bytes else {
                try parser.finish()
                isOver = true
                return []
            }
            if beginning.count < Self.beginningLimit { beginning += bytes.prefix(Self.beginningLimit) }
            let elements = try builder.read(try parser.parse(bytes))
            if builder.root == .dav("multistatus") || builder.root == nil {
                return elements.filter { $0.name == .dav("response") }.map { DAVResponse($0) }
            }
        } catch {
            throw .unreadable(stream.response, beginning: beginning, error.description)
        }
        throw .unreadable(stream.response, beginning: beginning, "it is not a multistatus")
    }

    private func take(_ response: DAVResponse, into entries: inout [DAVEntry]) throws(DAVError) {
        let href = response.hrefs.first ?? ""
        let place = response.hrefs.isEmpty ? .elsewhere : DAVHref(href, in: path)?.place(in: path) ?? .elsewhere
        if let status = response.failure { return try take(status, of: place, href) }
        switch place {
        case .itself:
            let entry = DAVEntry(response, name: Self.name(path), address: address, date: date)
            guard entry.isDirectory else { throw .notDirectory(DAVError.name(of: address)) }
            directory = entry
        case .child(let bytes):
            hasEntries = true
            guard let name = DAVHref.name(bytes) else { return refuse(bytes) }
            do {
                let address = try address.appending(name)
                entries.append(DAVEntry(response, name: name, address: address, date: date))
            } catch {
                refuse(bytes)
            }
        // The server has ignored the depth.
        case .deeper: deeperCount += 1
        case .elsewhere:
            hasStrangers = true
            refuse(Array(href.utf8))
        }
    }

    /// Handles an entry that has a status instead of properties.
    private func take(_ status: Int, of place: DAVHref.Place, _ href: String) throws(DAVError) {
        switch (place, status) {
        case (.itself, 507): throw .truncatedListing(DAVError.name(of: address))
        case (.itself, _): throw DAVError(status: status, DAVError.name(of: address), stream.response, .propfind)
        // The entry was removed while the server wrote the listing.
        case (_, 404), (_, 410): return
        case (.child(let bytes), 403) where forbiddenNames.count < Self.mostForbidden:
            hasEntries = true
            refuse(bytes)
            if let name = DAVHref.name(bytes) { forbiddenNames.append(name) }
        case (.deeper, 403), (.elsewhere, 403): refuse(Array(href.utf8))
        // The server could not read the entry, although it exists.
        default: throw .truncatedListing(DAVError.name(of: address))
        }
    }

    private func refuse(_ name: [UInt8]) {
        refusedCount += 1
        if refusedNames.count < 100 { refusedNames.append(String(decoding: name.prefix(1_024), as: UTF8.self)) }
    }

    private static func name(_ path: [[UInt8]]) -> String { path.last.flatMap { DAVHref.name($0) } ?? "" }
    private static let beginningLimit = 4_096
    /// The maximum number of forbidden entries, whose names are kept in memory. A listing with more of them counts as
    /// incomplete.
    private static let mostForbidden = 100_000
}

extension DAVEntry {
    /// Reads the reply to a request for the properties of one file or directory.
    init(_ response: HTTPResponse) throws(DAVError) {
        let element: DAVElement
        do {
            element = try DAVTreeBuilder.document(response.body)
        } catch {
            throw .unreadable(response, beginning: response.body, error.description)
        }
        guard element.name == .dav("multistatus") else {
            throw .unreadable(response, beginning: response.body, "it is not a multistatus")
        }
        let responses = element.children.filter { $0.name == .dav("response") }.map { DAVResponse($0) }
        let own = DAVHref(response.address.path)
        // A server that ignores the requested depth also sends other entries.
        let itself = responses.first { response in
            guard let own, let href = response.hrefs.first.flatMap({ DAVHref($0) }) else { return false }
            return href.place(in: own.components) == .itself
        }
        guard let found = itself ?? responses.first else {
            throw .invalidReply(response.address.origin, "it has no entry")
        }
        if let status = found.failure {
            // If the failure is for another address, the item at this address may exist.
            guard itself != nil || Self.isSame(found, own) else {
                throw .invalidReply(response.address.origin, "it is about another address")
            }
            throw DAVError(status: status, DAVError.name(of: response.address), response, .propfind)
        }
        // The server's spelling of the name is used, unless it is the name of another item.
        var name = found.hrefs.first.flatMap { DAVHref($0) }?.components.last
        if let requested = own?.components.last, name.map({ !DAVHref.isSame($0, requested) }) ?? true {
            name = requested
        }
        self.init(
            found, name: name.flatMap { DAVHref.name($0) } ?? "", address: response.address, date: response.date)
    }

    /// Whether a response concerns an address, even if the server has encoded the address twice. The server xandikos
    /// encodes it twice if nothing exists at the address.
    private static func isSame(_ response: DAVResponse, _ address: DAVHref?) -> Bool {
        guard let address, let href = response.hrefs.first.flatMap({ DAVHref($0) }) else { return false }
        return href.decodedAgain.place(in: address.components) == .itself
    }
}
