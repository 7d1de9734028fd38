import Foundation
import HTTPTransport
import LinuxSystem
import WebDAVClient

/// A writer of changes to the server that avoids overwriting another client's change. It protects each request by the
/// best method that works according to the probe: a condition, a lock with a comparison, an exchange, or only a
/// comparison.
struct ServerWriter: Sendable {
    let client: DAVClient
    let profile: DAVServerProfile
    let service: any DAVServiceKind
    let clock: any Clock<Duration>
    /// The directory for contents that are fetched only to compare them.
    let temporary: URL
    /// The number of the folder in which the change is made.
    let folder: Int64
    let catalogue: SharedServerCatalogue
    let temporaryEntries: TemporaryEntries
    let turns: ExchangeTurns

    /// The owner of the locks, which other clients show to their users.
    static let owner = "Purvey"

    // MARK: Looking

    /// Returns the state of a file or folder; `nil` if the server has nothing at the address.
    func entry(at address: HTTPAddress) async throws(DAVError) -> DAVEntry? {
        do {
            return try await client.entry(at: address)
        } catch {
            guard case .notFound = error else { throw error }
            return nil
        }
    }

    /// Returns the state of a file. If the file was changed within the last second, waits first, because a further
    /// change within the same second would not change the version. Also waits while the tag is weak, if the server
    /// replaces a weak tag by a strong one after a time.
    func settledEntry(at address: HTTPAddress) async throws(DAVError) -> DAVEntry? {
        for _ in 0..<4 {
            guard let entry = try await entry(at: address) else { return nil }
            let isSettled = !entry.isRacy || profile.distinguishesAllChanges
            if isSettled, entry.tag?.isWeak != true || profile.tagging != .weakAtFirst { return entry }
            do {
                try await clock.sleep(for: .seconds(1))
            } catch {
                throw .transport(.cancelled)
            }
        }
        // The date is in the future, so waiting is useless. The caller compares the bytes.
        return try await entry(at: address)
    }

    /// Fetches the contents from the server and returns their digest.
    func digest(of entry: DAVEntry) async throws(DAVError) -> [UInt8] {
        do {
            let url = temporary.appendingPathComponent(".purvey-compared-" + UUID().uuidString, isDirectory: false)
            let file = try await Blocking.run {
                let file = try FileDescriptor.open(url.path, [.readWrite, .create, .exclusive], permissions: 0o600)
                try FileManager.default.removeItem(at: url)
                return file
            }
            let contents = try await client.get(entry.address, to: .file(file, offset: 0))
            return try await Blocking.run { try ContentDigest.digest(of: file, contents.count) }
        } catch let error as DAVError {
            throw error
        } catch let errno as Errno {
            throw .transport(.file(errno))
        } catch {
            throw .transport(.cancelled)
        }
    }

    /// Whether the file at the server has the same bytes as the given contents.
    func hasSameBytes(_ entry: DAVEntry, as contents: OutgoingFile) async throws(DAVError) -> Bool {
        guard !entry.isDirectory, entry.length == nil || entry.length == contents.count else { return false }
        if contents.count == 0 { return entry.length == 0 }
        let own: [UInt8]
        do {
            own = try await Blocking.run { try ContentDigest.digest(of: contents.file, contents.count) }
        } catch {
            throw .transport(.file(error as? Errno ?? .inputOutput))
        }
        return try await digest(of: entry) == own
    }

    func version(of entry: DAVEntry) -> String { entry.isDirectory ? "folder" : entry.version.text }

    // MARK: Locks

    /// Locks an address at the server, runs a function, and removes the lock. Refreshes the lock until the function
    /// ends.
    func withLock<Reply: Sendable>(
        on address: HTTPAddress, _ body: @Sendable (DAVLock) async throws(DAVError) -> Reply
    ) async throws(DAVError) -> Reply {
        let lock = try await client.lock(address, owner: Self.owner)
        let renewal = Task { [client, clock] in
            let third = (lock.timeout ?? .seconds(300)) / 3
            while !Task.isCancelled {
                try? await clock.sleep(for: max(third, .seconds(5)))
                if Task.isCancelled { return }
                _ = try? await client.refresh(lock)
            }
        }
        let result: Result<Reply, DAVError>
        var hasFailed = false
        do {
            result = .success(try await body(lock))
        } catch {
            result = .failure(error)
            hasFailed = true
        }
        renewal.cancel()
        let isLeft = hasFailed && lock.hasCreated
        // The lock is removed in a separate task, because the caller's task may be cancelled. If the file was removed,
        // the lock no longer exists.
        await Task { [client] in
            // Removes the empty file that the lock has made.
            if isLeft, let made = try? await client.entry(at: lock.address), !made.isDirectory, made.length ?? 0 == 0 {
                try? await client.delete(lock.address, if: DAVRequirements(locks: [lock]))
            }
            try? await client.unlock(lock)
        }.value
        return try result.get()
    }
}
