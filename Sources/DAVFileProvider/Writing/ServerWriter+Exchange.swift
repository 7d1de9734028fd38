import FileProvider
import HTTPTransport
import WebDAVClient

/// Changes on servers that honour neither conditions nor locks, but whose moves replace nothing.
///
/// A comparison before a change would not see what another client writes between the two. A move takes a file as it is
/// at that moment: what is compared afterwards can no longer change.
extension ServerWriter {
    /// The beginnings of the names of new contents, and of files that were moved aside.
    static let incoming = ".purvey-incoming-"
    static let aside = ".purvey-aside-"

    /// Returns an address beside a file's. It is the same for each attempt, so that the next one finds what an
    /// interrupted one has left.
    private func place(_ beginning: String, of address: HTTPAddress) throws(DAVError) -> HTTPAddress {
        let digest = Digest(DAVError.name(of: address).utf8)
        return try sibling(of: address, beginning + String(digest.value, radix: 36))
    }

    private func sibling(of address: HTTPAddress, _ name: String) throws(DAVError) -> HTTPAddress {
        do {
            return try address.resolving("./").appending(name)
        } catch {
            throw DAVError(error)
        }
    }

    /// Moves a file back to its name that an interrupted attempt has left aside. If another client has taken the name,
    /// its file stays, and the one aside is an older state of it.
    func putBack(_ address: HTTPAddress) async throws(DAVError) {
        let aside = try place(Self.aside, of: address)
        guard try await entry(at: aside) != nil, try await entry(at: address) == nil else { return }
        _ = try await move(aside, to: address)
    }

    /// Sends new contents and moves them to a free address.
    ///
    /// - Throws: `requirementFailed` if another item has the name.
    func bring(_ contents: OutgoingFile, to address: HTTPAddress) async throws(DAVError) -> DAVEntry {
        let incoming = try place(Self.incoming, of: address)
        do {
            _ = try await send(contents, to: incoming, DAVRequirements())
            return try await move(incoming, to: address)
        } catch {
            await discard(incoming)
            if case .exists = error { throw .requirementFailed(address.path) }
            throw error
        }
    }

    /// Replaces the contents of a file, if they are the ones that the edit is based on.
    ///
    /// - Throws: `requirementFailed` if another client has changed them.
    func exchange(_ address: HTTPAddress, _ contents: OutgoingFile, _ base: Base) async throws(DAVError) -> DAVEntry {
        let (incoming, aside) = (try place(Self.incoming, of: address), try place(Self.aside, of: address))
        do {
            _ = try await send(contents, to: incoming, DAVRequirements())
            try await take(address, to: aside, base)
        } catch {
            await discard(incoming)
            throw error
        }
        do {
            let moved = try await move(incoming, to: address)
            await discard(aside)
            return moved
        } catch {
            await discard(incoming)
            if case .exists = error {
                // Another client has written a file of this name, so both have replaced the same state.
                await discard(aside)
                throw .requirementFailed(address.path)
            }
            try? await putBack(address)
            throw error
        }
    }

    /// Removes a file, if it still has the version that the edit is based on.
    ///
    /// - Throws: `requirementFailed` if another client has changed it.
    func removeAside(_ address: HTTPAddress, _ base: Base) async throws(DAVError) {
        let aside = try place(Self.aside, of: address)
        do {
            try await take(address, to: aside, base)
        } catch {
            if case .notFound = error { return }
            throw error
        }
        do {
            try await client.delete(aside)
        } catch {
            if case .notFound = error { return }
            throw error
        }
    }

    /// Moves a file aside, and back if it is not in the state that an edit is based on.
    private func take(_ address: HTTPAddress, to aside: HTTPAddress, _ base: Base) async throws(DAVError) {
        try await show(aside, of: address, unless: base)
        let taken = try await move(address, to: aside)
        let isRight: Bool
        do {
            isRight = try await isBase(taken, base)
        } catch {
            try? await putBack(address)
            throw error
        }
        if isRight { return }
        do {
            try await putBack(address)
        } catch {
            guard case .exists = error else { throw error }
        }
        // If another client has taken the name meanwhile, two clients have changed the file.
        try await show(aside, of: address, unless: base)
        throw .requirementFailed(address.path)
    }

    /// Gives what lies aside a name of its own, as no client may have seen it. The base of the edit is removed.
    private func show(_ aside: HTTPAddress, of address: HTTPAddress, unless base: Base) async throws(DAVError) {
        guard let left = try await entry(at: aside) else { return }
        if try await isBase(left, base) { return await discard(aside) }
        let name = DAVError.name(of: address)
        for number in 2..<100 {
            let free = try sibling(of: address, "\(number) \(name)")
            do {
                _ = try await move(aside, to: free)
                return
            } catch {
                guard case .exists = error else { throw error }
            }
        }
    }

    /// Removes a file of the writer's own. What stays is removed by the next attempt.
    private func discard(_ address: HTTPAddress) async {
        // A task of its own, because that of the caller may be cancelled.
        await Task { [client] in _ = try? await client.delete(address) }.value
    }
}
