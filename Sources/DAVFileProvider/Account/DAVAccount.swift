import FileProvider
import Foundation
import HTTPTransport
import LinuxSystem
import WebDAVClient

/// A domain's connection to its server: the HTTP client, the catalogue of items, and the server's behaviour as the
/// probe found it.
public final class DAVAccount: Sendable {
    /// The settings of the domain.
    public let settings: DAVSettings
    /// The kind of the service.
    public let service: any DAVServiceKind
    /// The address of the domain's root at the server.
    public let root: HTTPAddress
    /// The HTTP client, which reuses the connections to the server.
    public let http: HTTPClient
    let catalogue: SharedServerCatalogue
    /// The moves of items at the server that this process has begun and that have not ended.
    let moves = RunningMoves()
    let exchangeTurns = ExchangeTurns()
    /// The records of the directories that probes have created at servers. A later process uses them to remove
    /// directories that a killed process left.
    let probes: ProbeRecords
    package let room: DAVRoom
    let domain: NSFileProviderDomain
    let clock: any Clock<Duration>
    private let passwords: any DAVPasswordStore
    /// A function that makes the system upload the local contents of a file again. It does nothing for a file without
    /// local contents.
    let sendAgain: @Sendable (NSFileProviderItemIdentifier) async -> Void

    private struct State {
        var profile: DAVServerProfile?
        var credentials: HTTPCredentials?
        var hasCredentials = false
        /// Whether the server has accepted these credentials.
        var isAccepted = false
        /// The instant until which no request is sent with these credentials, because the server refused them; `nil` if
        /// the server did not refuse them. Background requests are not sent even after this instant, because each
        /// refusal counts towards a lock-out of the account.
        var refusedUntil: ContinuousClock.Instant?
    }
    // Leaf lock.
    private let state = Lock(State())

    /// The pause after refused credentials.
    private static let refusalPause = Duration.seconds(300)

    /// Opens the catalogue, and starts the connections. Blocks on the disk.
    package init(
        _ settings: DAVSettings, _ service: any DAVServiceKind, domain: NSFileProviderDomain, folder: URL,
        passwords: any DAVPasswordStore, configure: (inout HTTPConfiguration) -> Void = { _ in },
        clock: any Clock<Duration> = ContinuousClock(),
        sendAgain: (@Sendable (NSFileProviderItemIdentifier) async -> Void)? = nil
    ) throws {
        self.settings = settings
        self.service = service
        self.domain = domain
        self.passwords = passwords
        self.clock = clock
        let manager = NSFileProviderManager(for: domain)
        self.sendAgain =
            sendAgain
            ?? { identifier in
                try? await manager?.requestModification(of: .contents, forItemWithIdentifier: identifier)
            }
        probes = ProbeRecords(beside: folder)
        root = try service.root(settings).asDirectory
        var configuration = try settings.configuration(for: root)
        configuration.keepsCookies = service.keepsCookies
        configure(&configuration)
        http = try HTTPClient(configuration)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        catalogue = try SharedServerCatalogue(folder.appendingPathComponent("catalogue.sqlite").path)
        room = try DAVRoom(catalogue)
        let stored = try catalogue.performNow { try $0.value(Self.profileKey) }
        let profile = stored.flatMap { try? JSONDecoder().decode(DAVServerProfile.self, from: Data($0)) }
        state.withLock { $0.profile = profile }
    }

    // MARK: The server's behaviour

    private static let profileKey = "profile"

    /// The behaviour of the server as the probe found it. Before the first probe, the behaviour of a server that
    /// supports neither conditional requests nor locks.
    public var profile: DAVServerProfile { state.withLock { $0.profile } ?? DAVServerProfile() }

    /// The findings of the probe for the user, one line each; `nil` before the probe.
    var knownFindings: [String]? {
        guard var known = state.withLock({ $0.profile }) else { return nil }
        known.quota = room.quota ?? known.quota
        return known.findings
    }

    /// Stores the behaviour of the server.
    ///
    /// - Parameter profile: `nil` if the behaviour is not known. The server is then probed before the first change.
    public func set(_ profile: DAVServerProfile?) async throws {
        let bytes = try profile.map { [UInt8](try JSONEncoder().encode($0)) }
        try await catalogue.perform { try $0.set(bytes, for: Self.profileKey) }
        state.withLock { $0.profile = profile }
    }

    /// Returns the behaviour of the server. Probes the server first if the behaviour is unknown, such as after the loss
    /// of the catalogue. No change is sent before the probe. If the user has no permission to probe, returns the
    /// default behaviour.
    ///
    /// - Parameter folder: the folder in which a change is to be made. The server is probed in this folder if the user
    ///   has no permission to write in the root.
    func knownProfile(in folder: Int64) async throws -> DAVServerProfile {
        if let known = state.withLock({ $0.profile }) { return known }
        do {
            let found: DAVServerProfile
            do {
                found = try await ask { client throws(DAVError) in try await probe(client, in: root) }
            } catch DAVError.forbidden {
                let place = try await known(folder)?.address ?? root
                found = try await ask { client throws(DAVError) in try await probe(client, in: place) }
            }
            try await set(found)
            return found
        } catch DAVError.forbidden {
            // The change itself may be permitted. It is sent with conditions, although it is unknown whether the server
            // honours them.
            return DAVServerProfile()
        }
    }

    // MARK: Requests

    /// Sends requests with the user's credentials. If the server refuses the credentials, reads the password again from
    /// the password store, and repeats the requests once if the credentials have changed.
    ///
    /// - Throws: the error of the request, or of the password store.
    public func ask<Reply: Sendable>(
        _ priority: HTTPRequest.Priority = .interactive,
        _ body: @Sendable (DAVClient) async throws(DAVError) -> Reply
    ) async throws -> Reply {
        var client = client(with: try await credentials(priority))
        client.priority = priority
        var result = await Self.result(of: body, client)
        if case .failure(.notSignedIn) = result {
            let used = client.credentials
            client.credentials = try await load()
            if client.credentials != used { result = await Self.result(of: body, client) }
        }
        switch result {
        case .success: noteAccepted(client.credentials)
        case .failure(.notSignedIn): try await noteRefused(client)
        case .failure(.notFound): try await requireRoot(client)
        case .failure(.noSpace): await room.noteFull(at: ChangeWatch.now)
        default: break
        }
        return try result.get()
    }

    private func noteAccepted(_ used: HTTPCredentials?) {
        state.withLock { state in
            guard state.credentials == used else { return }
            (state.isAccepted, state.refusedUntil) = (true, nil)
        }
    }

    /// Records that the server has refused the credentials.
    ///
    /// - Throws: `forbidden` if the server still accepts the credentials for the root, and thus refused them for one
    ///   folder only.
    private func noteRefused(_ client: DAVClient) async throws(DAVError) {
        let wasAccepted = state.withLock { $0.isAccepted && $0.credentials == client.credentials }
        if wasAccepted, client.credentials != nil, (try? await client.entry(at: root)) != nil {
            throw .forbidden(DAVError.name(of: root), reason: "it requires another sign-in for a part of the folder")
        }
        state.withLock { state in
            guard state.credentials == client.credentials else { return }
            (state.isAccepted, state.refusedUntil) = (false, .now + Self.refusalPause)
        }
    }

    /// Checks that the server still has the domain's root. Called when the server reports that an item does not exist,
    /// because a proxy may reply with “not found” to all requests while its server starts.
    private func requireRoot(_ client: DAVClient) async throws(DAVError) {
        do {
            _ = try await client.entry(at: root)
        } catch {
            guard case .notFound = error else { throw error }
            throw .invalidReply(root.origin, "it has nothing at the address of the domain")
        }
    }

    /// Reads and records the identifier of the server's data, which changes when the server is restored from a backup.
    /// Items that the server does not list count as removed only after this function was called.
    ///
    /// - Parameter round: the number of the listing in which the items are missing.
    func checkMark(_ priority: HTTPRequest.Priority = .interactive, round: Int64) async throws {
        let entry = try await ask(priority) { client throws(DAVError) in try await client.entry(at: root) }
        let mark = service.dataMark(of: entry)
        try await catalogue.perform { try $0.note(dataMark: mark, round: round) }
    }

    private static func result<Reply: Sendable>(
        of body: @Sendable (DAVClient) async throws(DAVError) -> Reply, _ client: DAVClient
    ) async -> Result<Reply, DAVError> {
        do {
            return .success(try await body(client))
        } catch {
            return .failure(error)
        }
    }

    func client(with credentials: HTTPCredentials?) -> DAVClient {
        var client = DAVClient(http, credentials: credentials)
        client.additionalProperties = service.properties
        return client
    }

    private func credentials(_ priority: HTTPRequest.Priority) async throws -> HTTPCredentials? {
        let (known, isKnown, refusedUntil) = state.withLock { ($0.credentials, $0.hasCredentials, $0.refusedUntil) }
        guard isKnown else { return try await load() }
        guard let refusedUntil, refusedUntil > .now || priority == .background else { return known }
        let stored = try await load()
        guard stored != known else { throw DAVError.notSignedIn(root.origin) }
        return stored
    }

    /// Reads the credentials from the password store; returns `nil` if none are stored.
    @discardableResult
    func load() async throws -> HTTPCredentials? {
        var found: HTTPCredentials?
        if let user = settings.user ?? (settings.authentication == .bearer ? "" : nil) {
            let (origin, name) = (root.origin, domain.identifier.rawValue)
            let password = try await Blocking.run { [passwords] in
                try passwords.password(for: user, at: origin, domain: name)
            }
            found = password.map { settings.credentials(user: user, password: $0) }
        }
        state.withLock { state in
            if state.credentials != found { (state.isAccepted, state.refusedUntil) = (false, nil) }
            (state.credentials, state.hasCredentials) = (found, true)
        }
        return found
    }

    /// Stores a password. The next request uses it.
    public func store(_ password: String, for user: String) async throws {
        let (origin, name) = (root.origin, domain.identifier.rawValue)
        try await Blocking.run { [passwords] in
            try passwords.store(password, for: user, at: origin, domain: name)
        }
        state.withLock { state in
            state.hasCredentials = false
            (state.isAccepted, state.refusedUntil) = (false, nil)
        }
    }

    // MARK: Items

    /// Returns the item with the given identifier.
    ///
    /// - Throws: ``NSFileProviderError/noSuchItem`` if the catalogue has no such item.
    public func known(_ identifier: NSFileProviderItemIdentifier) async throws -> DAVKnownItem {
        guard let number = number(of: identifier), let known = try await known(number) else {
            throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: identifier)
        }
        return known
    }

    /// Returns the service's identity of an item, for requests that name the item by its identity only.
    ///
    /// - Returns: `nil` if the service has none. After the server was restored from a backup, also `nil` if the server
    ///   has no item with this identity at the item's address. Another item may then have the identity.
    package func identity(
        of known: DAVKnownItem, _ priority: HTTPRequest.Priority = .interactive
    ) async throws -> String? {
        guard let identity = known.traits.identity, try await catalogue.perform({ try $0.isKept(known.item) }) else {
            return known.traits.identity
        }
        do {
            let entry = try await ask(priority) { client throws(DAVError) in try await client.entry(at: known.address) }
            return service.traits(of: entry).identity == identity ? identity : nil
        } catch DAVError.notFound {
            return nil
        }
    }

    func known(_ number: Int64) async throws -> DAVKnownItem? {
        let found = try await catalogue.perform { catalogue -> (CataloguedItem, [String])? in
            guard let item = try catalogue.item(number), let names = try catalogue.names(to: number) else { return nil }
            return (item, names)
        }
        return try found.map { try known($0.0, at: $0.1) }
    }

    private func known(_ item: CataloguedItem, at names: [String]) throws -> DAVKnownItem {
        var address = root
        for name in names { address = try address.appending(name) }
        return DAVKnownItem(
            item: item, identifier: identifier(of: item.number), address: item.isFolder ? address.asDirectory : address)
    }

    func identifier(of number: Int64) -> NSFileProviderItemIdentifier {
        number == CataloguedItem.root ? .rootContainer : NSFileProviderItemIdentifier("\(catalogue.stamp)-\(number)")
    }

    func number(of identifier: NSFileProviderItemIdentifier) -> Int64? {
        if identifier == .rootContainer { return CataloguedItem.root }
        let prefix = catalogue.stamp + "-"
        guard identifier.rawValue.hasPrefix(prefix) else { return nil }
        return Int64(identifier.rawValue.dropFirst(prefix.utf8.count))
    }

    /// Returns the object that describes an item to the system.
    func object(_ item: CataloguedItem) -> DAVItem {
        DAVItem(
            item, identifier: identifier(of: item.number), parent: identifier(of: item.parent),
            root: domain.displayName, hasTrash: service.hasTrash)
    }
}

extension DAVSettings {
    /// Returns the credentials with the given user and password, for the domain's authentication method.
    func credentials(user: String, password: String) -> HTTPCredentials {
        switch authentication {
        case .basic: .basic(user: user, password: password)
        case .digest: .digest(user: user, password: password)
        case .bearer: .bearer(token: password)
        case nil: .passwordAsRequested(user: user, password: password)
        }
    }
}
