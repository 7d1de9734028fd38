import Conduit
import LinuxSystem
import Secrets

/// The keyring of the desktop, over the Secret Service.
///
/// The session is not encrypted. The bus is a local socket of this user, and a program that can read its messages can
/// also request the key from the keyring. The messages contain the key of the passwords' file, but no password, so that
/// a recorded message is of no use without the file.
///
/// The actor runs on the thread of GLib's main loop.
actor DesktopSecretService {
    nonisolated var unownedExecutor: UnownedSerialExecutor { MainContextExecutor.shared.asUnownedSerialExecutor() }

    private var connection: BusConnection?
    private var connectionWaiters: [CheckedContinuation<BusConnection, Never>] = []
    private let changes = KeyringChanges()

    private typealias Names = SecretServiceNames

    /// Sets the connection to the bus. Calls wait until it is set.
    func use(_ new: BusConnection, daemon: Connection) {
        connection = new
        changes.daemon.withLock { $0 = daemon }
        for waiter in connectionWaiters { waiter.resume(returning: new) }
        connectionWaiters = []
    }

    private var bus: BusConnection {
        get async {
            if let connection { return connection }
            return await withCheckedContinuation { connectionWaiters.append($0) }
        }
    }

    // MARK: Items

    /// Returns the key of the given password store; `nil` if the keyring is unlocked and has no such key.
    ///
    /// - Parameter identifier: the identifier of the key; `nil` for any key of the store.
    func key(
        store: String, identifier: String?
    ) async throws(KeyringError) -> SecretBytes? {
        let found = try await items(store: store, identifier: identifier)
        guard let item = found.unlocked.first else {
            if !found.locked.isEmpty { throw .locked }
            // Some services do not report the items of a locked collection.
            try await check()
            return nil
        }
        let session = try await openSession()
        let reply = await result { () throws(KeyringError) in
            try await call(Names.object(item), Names.item + "GetSecret", [.path(session)], reply: "((oayays))")
        }
        await close(session)
        guard let key = try reply.get()[0]?[2]?.withBytes({ SecretBytes(copying: $0) }) else {
            throw .failed("the keyring returned no secret")
        }
        return key
    }

    /// Stores a key in the default collection. Replaces an earlier key with the same attributes.
    func store(
        _ key: SecretBytes, store: String, identifier: String
    ) async throws(KeyringError) {
        let collection = try await unlockedCollection()
        let session = try await openSession()
        let properties = BusValue.properties([
            ("org.freedesktop.Secret.Item.Label", .string("Purvey: key of the stored passwords")),
            ("org.freedesktop.Secret.Item.Attributes", Names.attributes(store: store, identifier: identifier)),
        ])
        let secret = BusValue.tuple([
            .path(session), .bytes(Names.noParameters), .bytes(key), .string("application/octet-stream"),
        ])
        let reply = await result { () throws(KeyringError) in
            try await call(
                Names.object(collection), Names.collection + ".CreateItem", [properties, secret, .boolean(true)],
                reply: "(oo)")
        }
        await close(session)
        try await refusePrompt(try reply.get()[1]?.text)
    }

    /// Removes a key. Also succeeds if the keyring does not have the key.
    func remove(
        store: String, identifier: String
    ) async throws(KeyringError) {
        let found = try await items(store: store, identifier: identifier)
        for item in found.unlocked {
            let reply = try await call(Names.object(item), Names.item + "Delete", reply: "(o)")
            try await refusePrompt(reply[0]?.text)
        }
        if !found.locked.isEmpty { throw .locked }
    }

    private func items(
        store: String, identifier: String?
    ) async throws(KeyringError) -> (unlocked: [String], locked: [String]) {
        let reply = try await call(
            Names.root, Names.service + "SearchItems", [Names.attributes(store: store, identifier: identifier)],
            reply: "(aoao)")
        return (reply[0]?.texts ?? [], reply[1]?.texts ?? [])
    }

    /// Dismisses a prompt that the service wants to show, and throws `locked`. Prompts are permitted only for an action
    /// of the user.
    private func refusePrompt(
        _ path: String?
    ) async throws(KeyringError) {
        guard let path, path != Names.noPath else { return }
        _ = try? await call(Names.object(path), Names.prompt + ".Dismiss", reply: "()")
        throw .locked
    }

    // MARK: Collections

    /// Checks that the default collection exists and is unlocked.
    func check() async throws(KeyringError) {
        _ = try await unlockedCollection()
    }

    private func unlockedCollection() async throws(KeyringError) -> String {
        let path = try await collection()
        if try await isLocked(path) { throw .locked }
        return path
    }

    /// Returns the path of the default collection.
    ///
    /// - Throws: `absent` if no default collection exists, or if it is deleted when the user logs out.
    private func collection() async throws(KeyringError) -> String {
        let reply = try await call(Names.root, Names.service + "ReadAlias", [.string("default")], reply: "(o)")
        guard let path = reply[0]?.text, path != Names.noPath, !path.hasSuffix("/collection/session") else {
            throw .absent
        }
        return path
    }

    private func isLocked(
        _ collection: String
    ) async throws(KeyringError) -> Bool {
        let reply = try await call(
            Names.object(collection), BusNames.properties + ".Get", [.string(Names.collection), .string("Locked")],
            reply: "(v)")
        guard let isLocked = reply[0]?.boxed?.boolean else {
            throw .failed("the keyring does not say whether it is locked")
        }
        return isLocked
    }

    // MARK: Unlocking

    /// Unlocks the default collection, and the items of a store. The service asks the user for passwords if necessary.
    ///
    /// - Parameter timeLimit: the timeout for each of the user's answers.
    /// - Throws: `locked` if the user has dismissed a prompt or not answered.
    func unlock(store: String, timeLimit: Duration) async throws(KeyringError) {
        let collection = await result { () throws(KeyringError) in try await self.collection() }
        if case .success(let path) = collection {
            try await unlock([path], timeLimit: timeLimit)
            if try await isLocked(path) { throw .locked }
        }
        // The key may be in another collection than the default collection, or the item itself may be locked.
        let items = try await items(store: store, identifier: nil).locked
        if items.isEmpty {
            _ = try collection.get()
            return
        }
        try await unlock(items, timeLimit: timeLimit)
        let isLocked = try await !self.items(store: store, identifier: nil).locked.isEmpty
        if isLocked { throw .locked }
    }

    private func unlock(_ objects: [String], timeLimit: Duration) async throws(KeyringError) {
        let reply = try await call(
            Names.root, Names.service + "Unlock", [.array(of: "o", objects.map { .path($0) })], reply: "(aoo)")
        if let path = reply[1]?.text, path != Names.noPath { try await show(path, timeLimit: timeLimit) }
    }

    /// Shows a prompt. Returns when the user has answered the prompt, the timeout has passed, or the service has ended.
    private func show(_ path: String, timeLimit: Duration) async throws(KeyringError) {
        let bus = await bus
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        let signal = bus.follow(SecretServiceNames.name, interface: Names.prompt, path: path) { _ in answer.yield(true)
        }
        let owner = bus.followOwner(of: SecretServiceNames.name) { if !$0 { answer.finish() } }
        let timer = Task {
            if (try? await Task.sleep(for: timeLimit)) != nil { answer.yield(false) }
        }
        defer {
            timer.cancel()
            bus.endFollowing(signal)
            bus.endWatch(owner)
        }
        _ = try await call(Names.object(path), Names.prompt + ".Prompt", [.string("")], reply: "()")
        for await isAnswered in answers {
            if !isAnswered { _ = try? await call(Names.object(path), Names.prompt + ".Dismiss", reply: "()") }
            return
        }
    }

    // MARK: Calls

    private func openSession() async throws(KeyringError) -> String {
        let reply = try await call(
            Names.root, Names.service + "OpenSession", [.string("plain"), .variant(.string(""))], reply: "(vo)")
        guard let path = reply[1]?.text, path != Names.noPath else { throw .failed("the keyring opened no session") }
        return path
    }

    private func close(_ session: String) async {
        // If this fails, the service closes the session when the connection ends.
        _ = try? await call(Names.object(session), Names.session + "Close", reply: "()")
    }

    private func call(
        _ object: RemoteObject, _ method: String, _ arguments: [BusValue] = [], reply: String
    ) async throws(KeyringError) -> BusReply {
        let bus = await bus
        changes.follow(on: bus)
        do throws(BusCallError) {
            return try await bus.call(object, method, arguments, reply: reply)
        } catch {
            switch error {
            case .noService, .noReply: throw .absent
            case .refused(let name) where name.hasSuffix(".Error.IsLocked"): throw .locked
            case .refused(let name): throw .failed("the keyring refuses \(method): \(name)")
            }
        }
    }

    private func result<Value>(
        _ body: () async throws(KeyringError) -> Value
    ) async -> Result<Value, KeyringError> {
        do throws(KeyringError) { return .success(try await body()) } catch { return .failure(error) }
    }
}
