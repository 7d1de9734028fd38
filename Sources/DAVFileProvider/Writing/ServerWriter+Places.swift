import HTTPTransport
import WebDAVClient

/// Moves and removes items.
extension ServerWriter {
    /// Moves a file or folder to an unused address. Items that other clients have added to the folder move with it.
    ///
    /// - Returns: the state at the destination.
    /// - Throws: `exists` if another item has the name, `notFound` if the item does not exist any more.
    func move(_ source: HTTPAddress, to destination: HTTPAddress) async throws(DAVError) -> DAVEntry {
        // On a server that ignores case, a name that differs only in case is the name of the item itself.
        let isSameName = !profile.distinguishesCase && source.path.lowercased() == destination.path.lowercased()
        if profile.moveWithoutOverwriting != .honoured, !isSameName, try await entry(at: destination) != nil {
            throw .exists(destination.path)
        }
        do {
            let isRefused = profile.moveWithoutOverwriting == .refused
            try await client.move(
                source, to: destination, if: DAVRequirements(destination: isRefused ? .any : .absent))
        } catch {
            switch error {
            // Servers differ in the status with which they refuse an existing name.
            case .requirementFailed, .exists, .status(400..<500, _):
                guard !isSameName, try await entry(at: destination) != nil, try await entry(at: source) != nil else {
                    throw error
                }
                throw .exists(destination.path)
            default: break
            }
            // The reply to this attempt or to an earlier one was lost, and the item was moved.
            guard error.mayHaveSucceeded, let moved = try? await entry(at: destination),
                let rest = try? await isGone(source), rest
            else { throw error }
            return moved
        }
        return try await client.entry(at: destination)
    }

    private func isGone(_ address: HTTPAddress) async throws(DAVError) -> Bool { try await entry(at: address) == nil }

    /// Removes a file if it still has the version that the edit is based on.
    ///
    /// - Throws: `requirementFailed` if another client has changed the file.
    func remove(_ address: HTTPAddress, base: Base) async throws(DAVError) {
        if profile.removing == .exchange { try await clearExchange(at: address) }
        guard let now = try await settledEntry(at: address) else { return }
        guard try await isBase(now, base) else { throw .requirementFailed(address.path) }
        if profile.removing == .exchange { return try await removeAside(address, base) }
        do {
            let tag = now.tag.flatMap { $0.isWeak ? nil : $0 }
            if profile.locking == .enforced, profile.removing != .conditions || tag == nil {
                try await withLock(on: address) { (lock) throws(DAVError) in
                    guard let locked = try await entry(at: address), try await isBase(locked, base) else {
                        throw .requirementFailed(address.path)
                    }
                    try await client.delete(address, if: DAVRequirements(locks: [lock]))
                }
            } else {
                // The condition is sent even if the probe has not confirmed that the server checks it.
                let condition = profile.deleteIfMatch == .refused ? nil : tag
                try await client.delete(address, if: DAVRequirements(resource: condition.map { .tag($0) } ?? .any))
            }
        } catch {
            if case .notFound = error { return }
            guard error.mayHaveSucceeded, let isGone = try? await isGone(address), isGone else { throw error }
        }
    }

    /// Removes an empty folder.
    ///
    /// - Parameter number: the number of the folder.
    /// - Throws: `partial` if the folder is not empty.
    func removeEmptyFolder(_ address: HTTPAddress, _ number: Int64) async throws(DAVError) {
        do {
            try await removeFolderIfEmpty(address, number)
        } catch {
            if case .notFound = error { return }
            guard error.mayHaveSucceeded, let isGone = try? await isGone(address), isGone else { throw error }
        }
    }

    /// Removes a folder after a listing has shown that it is empty. Between the two requests, a lock prevents other
    /// clients from adding items, if the server supports locks.
    private func removeFolderIfEmpty(_ address: HTTPAddress, _ number: Int64) async throws(DAVError) {
        if profile.locking == .enforced {
            do {
                return try await withLock(on: address) { (lock) throws(DAVError) in
                    try await requireEmpty(address, number)
                    try await client.delete(address, if: DAVRequirements(locks: [lock]))
                }
            } catch {
                switch error {
                // Some servers lock only files, and Apache does not remove a locked folder.
                case .notAllowed, .forbidden, .status(424, _): break
                default: throw error
                }
            }
        }
        try await requireEmpty(address, number)
        try await client.delete(address)
    }

    /// Checks that a folder has no entries except those that the service hides, and this client's temporary items. A
    /// file that this client moved aside counts as an entry, because it may be the only file with its contents.
    private func requireEmpty(_ address: HTTPAddress, _ number: Int64) async throws(DAVError) {
        let listing = try await client.list(address)
        let visible = try await listing.all().filter { !service.isHidden($0) }
        let temporary: Set<[UInt8]>
        do {
            temporary = try await temporaryEntries.names(among: visible, of: number)
        } catch {
            throw Self.failure(error)
        }
        let entries = visible.filter { !temporary.contains(Array($0.name.utf8)) || Self.isAside($0.name) }
        if let first = entries.first { throw .partial(first.name, status: 409, count: entries.count) }
        try await listing.requireNothingLeftOut()
    }
}
