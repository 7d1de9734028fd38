import FileProvider
import HTTPTransport
import LinuxSystem
import SQLite
import WebDAVClient

/// Changes on servers that honour neither conditions nor locks, but whose moves replace nothing.
///
/// A comparison before a change would not see what another client writes between the two. A move takes a file as it is
/// at that moment, so the contents that are compared afterwards can no longer change.
extension ServerWriter {
    /// The prefixes of the names of new contents, and of files that were moved aside. The stamp of the catalogue
    /// follows, so that each client only touches its own files.
    static let incoming = ".purvey-incoming-"
    static let aside = ".purvey-aside-"

    /// The addresses of an exchange's own files. They are the same for each attempt.
    private struct Places {
        let file: HTTPAddress
        let incoming: HTTPAddress
        let aside: HTTPAddress
    }

    private func places(of address: HTTPAddress) throws(DAVError) -> Places {
        let digest = String(Digest(DAVError.name(of: address).utf8).value, radix: 36)
        let own = "\(catalogue.stamp)-\(digest)"
        return Places(
            file: address, incoming: try sibling(of: address, Self.incoming + own),
            aside: try sibling(of: address, Self.aside + own))
    }

    private func sibling(of address: HTTPAddress, _ name: String) throws(DAVError) -> HTTPAddress {
        do {
            return try address.resolving("./").appending(name)
        } catch {
            throw DAVError(error)
        }
    }

    // MARK: Exchanges

    /// Sends new contents and moves them to a free address.
    ///
    /// - Throws: `requirementFailed` if another item has the name.
    func bring(_ contents: OutgoingFile, to address: HTTPAddress) async throws(DAVError) -> DAVEntry {
        try await exchanging(address, nil) { (places) throws(DAVError) in
            do throws(DAVError) {
                _ = try await send(contents, to: places.incoming, DAVRequirements())
                DAVStep.contentsSent.reach()
                return (try await move(places.incoming, to: address), true)
            } catch {
                if case .exists = error { throw .requirementFailed(address.path) }
                throw error
            }
        }
    }

    /// Replaces the contents of a file, if they are the ones that the edit is based on.
    ///
    /// - Throws: `requirementFailed` if another client has changed them.
    func exchange(_ address: HTTPAddress, _ contents: OutgoingFile, _ base: Base) async throws(DAVError) -> DAVEntry {
        try await exchanging(address, base) { (places) throws(DAVError) in
            _ = try await send(contents, to: places.incoming, DAVRequirements())
            DAVStep.contentsSent.reach()
            try await take(places, base)
            DAVStep.fileTaken.reach()
            do throws(DAVError) {
                let moved = try await move(places.incoming, to: address)
                DAVStep.contentsPlaced.reach()
                return (moved, (try? await removeOwn(places.aside)) != nil)
            } catch {
                guard case .exists = error else { throw error }
                // Another client has written a file of this name, so both have replaced the same state.
                throw .requirementFailed(address.path)
            }
        }
    }

    /// Removes a file, if it still has the version that the edit is based on.
    ///
    /// - Throws: `requirementFailed` if another client has changed it.
    func removeAside(_ address: HTTPAddress, _ base: Base) async throws(DAVError) {
        try await exchanging(address, base) { (places) throws(DAVError) in
            do throws(DAVError) {
                try await take(places, base)
            } catch {
                guard case .notFound = error else { throw error }
                return ((), true)
            }
            DAVStep.fileTaken.reach()
            try await removeOwn(places.aside)
            return ((), true)
        }
    }

    /// Moves a file aside, and back if it is not in the state that an edit is based on.
    private func take(_ places: Places, _ base: Base) async throws(DAVError) {
        let taken = try await move(places.file, to: places.aside)
        if try await isBase(taken, base) { return }
        try await putBack(places, base)
        throw .requirementFailed(places.file.path)
    }

    // MARK: The record

    /// Runs a function that makes files of its own at the server. They are recorded before, and cleared if it fails.
    ///
    /// - Parameter body: returns its result, and whether it has left no files of its own at the server.
    private func exchanging<Reply: Sendable>(
        _ address: HTTPAddress, _ base: Base?,
        _ body: @Sendable (Places) async throws(DAVError) -> (reply: Reply, isClear: Bool)
    ) async throws(DAVError) -> Reply {
        let (places, place) = (try places(of: address), place(of: address))
        return try await turns.perform(place) { () throws(DAVError) in
            try await clear(places, place)
            try await record { try $0.note(exchange: place, base: base) }
            DAVStep.exchangeNoted.reach()
            do throws(DAVError) {
                let (reply, isClear) = try await body(places)
                DAVStep.remainsCleared.reach()
                if isClear { try? await record { try $0.end(exchange: place) } }
                return reply
            } catch {
                // The files are cleared in a separate task, because the caller's task may be cancelled. Files that
                // stay are cleared later.
                await Task { try? await clear(places, place) }.value
                throw error
            }
        }
    }

    /// Clears the files that an earlier exchange of this file has left. If an exchange still runs, waits until it has
    /// ended.
    func clearExchange(at address: HTTPAddress) async throws(DAVError) {
        let (places, place) = (try places(of: address), place(of: address))
        try await turns.perform(place) { () throws(DAVError) in try await clear(places, place) }
    }

    /// Removes the new contents, which the system sends again, and moves the file that is aside back to its name.
    private func clear(_ places: Places, _ place: ExchangePlace) async throws(DAVError) {
        var recorded: RecordedExchange?
        do {
            recorded = try await catalogue.perform { try $0.exchange(place) }
        } catch {
            throw Self.failure(error)
        }
        guard let recorded else { return }
        try await removeOwn(places.incoming)
        if let base = recorded.base { try await putBack(places, base) }
        try await record { try $0.end(exchange: place) }
    }

    private func place(of address: HTTPAddress) -> ExchangePlace {
        let name = DAVError.name(of: address)
        return ExchangePlace(folder: folder, name: name.split(separator: "/").last.map { String($0) } ?? name)
    }

    private func record(
        _ body: @escaping @Sendable (ServerCatalogue) throws -> Void
    ) async throws(DAVError) {
        do {
            try await catalogue.perform(body)
        } catch {
            throw Self.failure(error)
        }
    }

    /// Returns the error for a record that cannot be read or written.
    private static func failure(_ error: any Error) -> DAVError {
        .transport(.file(error as? Errno ?? ((error as? Database.Failure)?.isFull == true ? .noSpace : .inputOutput)))
    }

    // MARK: Remains

    /// Moves a file that is aside back to its name. If another client has taken the name, removes the file if it is
    /// the one that both have replaced. Otherwise no client may have seen it, so it gets a name of its own.
    private func putBack(_ places: Places, _ base: Base) async throws(DAVError) {
        guard let left = try await entry(at: places.aside) else { return }
        do {
            _ = try await move(places.aside, to: places.file)
            return
        } catch {
            guard case .exists = error else { throw error }
        }
        if try await isBase(left, base) { return try await removeOwn(places.aside) }
        let name = place(of: places.file).name
        for number in 2..<100 {
            do {
                _ = try await move(places.aside, to: sibling(of: places.file, "\(number) \(name)"))
                return
            } catch {
                guard case .exists = error else { throw error }
            }
        }
        throw .exists(places.file.path)
    }

    /// Removes a file of the writer's own, if it exists.
    private func removeOwn(_ address: HTTPAddress) async throws(DAVError) {
        do {
            try await client.delete(address)
        } catch {
            guard case .notFound = error else { throw error }
        }
    }
}
