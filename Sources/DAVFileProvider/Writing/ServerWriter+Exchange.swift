import HTTPTransport
import LinuxSystem
import SQLite
import WebDAVClient

/// Changes files on servers that honour neither conditions nor locks, but on which a move does not overwrite an
/// existing file.
///
/// A comparison before a change would miss a write of another client between the comparison and the change. Therefore
/// the file is first moved to a temporary name, where its contents no longer change, and compared afterwards.
extension ServerWriter {
    /// The prefixes of the temporary names of new contents, and of files that were moved aside. Each prefix is followed
    /// by the random token of the exchange, which the catalogue records. A file with another token is not temporary.
    private static let incoming = ".purvey-incoming-"
    private static let aside = ".purvey-aside-"

    /// Returns the token in a name that has the form of a temporary name; `nil` for other names.
    static func token(in name: String) -> String? {
        for prefix in [incoming, aside] where name.utf8.starts(with: prefix.utf8) {
            return String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        }
        return nil
    }

    /// Whether a temporary name is that of a file that was moved aside, which may be the only file with its contents.
    static func isAside(_ name: String) -> Bool { name.utf8.starts(with: aside.utf8) }

    /// The addresses of the item and of the temporary files of an exchange.
    private struct Places {
        let file: HTTPAddress
        let incoming: HTTPAddress
        let aside: HTTPAddress
    }

    private func places(of address: HTTPAddress, _ token: String) throws(DAVError) -> Places {
        Places(
            file: address, incoming: try sibling(of: address, Self.incoming + token),
            aside: try sibling(of: address, Self.aside + token))
    }

    private func sibling(of address: HTTPAddress, _ name: String) throws(DAVError) -> HTTPAddress {
        do {
            return try address.resolving("./").appending(name)
        } catch {
            throw DAVError(error)
        }
    }

    // MARK: Exchanges

    /// Uploads new contents to a temporary name and moves them to an unused address.
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

    /// Replaces the contents of a file if its current contents are the ones that the edit is based on.
    ///
    /// - Throws: `requirementFailed` if another client has changed the file.
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
                // Another client has created a file of this name meanwhile, so that both clients have replaced the same
                // state.
                throw .requirementFailed(address.path)
            }
        }
    }

    /// Removes a file if it still has the version that the edit is based on.
    ///
    /// - Throws: `requirementFailed` if another client has changed the file.
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

    /// Moves a file to its temporary name. Moves it back if it is not in the state that the edit is based on.
    private func take(_ places: Places, _ base: Base) async throws(DAVError) {
        let taken = try await move(places.file, to: places.aside)
        if try await isBase(taken, base) { return }
        try await putBack(places, base)
        throw .requirementFailed(places.file.path)
    }

    // MARK: The record

    /// Runs a function that creates temporary files at the server. The exchange is recorded before, and its files are
    /// removed if the function fails.
    ///
    /// - Parameter body: returns its result, and whether no temporary file is left at the server.
    private func exchanging<Reply: Sendable>(
        _ address: HTTPAddress, _ base: Base?,
        _ body: @Sendable (Places) async throws(DAVError) -> (reply: Reply, isClear: Bool)
    ) async throws(DAVError) -> Reply {
        let place = place(of: address)
        return try await turns.perform(place) { () throws(DAVError) in
            try await clear(address, place)
            let token = String(UInt128.random(in: .min ... .max), radix: 36)
            let places = try places(of: address, token)
            try await record { try $0.note(exchange: place, token: token, base: base) }
            DAVStep.exchangeNoted.reach()
            do throws(DAVError) {
                let (reply, isClear) = try await body(places)
                DAVStep.remainsCleared.reach()
                if isClear { try? await record { try $0.end(exchange: place, token: token) } }
                return reply
            } catch {
                // The files are removed in a separate task, because the caller's task may be cancelled. If this fails,
                // they are removed later.
                await Task { try? await clear(address, place) }.value
                throw error
            }
        }
    }

    /// Removes the temporary files that an earlier exchange of this file has left. If an exchange is in progress, waits
    /// until it has ended.
    func clearExchange(at address: HTTPAddress) async throws(DAVError) {
        let place = place(of: address)
        try await turns.perform(place) { () throws(DAVError) in try await clear(address, place) }
    }

    /// Removes the uploaded contents, which the system uploads again, and moves the old file back to its name.
    private func clear(_ address: HTTPAddress, _ place: ExchangePlace) async throws(DAVError) {
        while let recorded = try await recordedExchange(place) {
            let places = try places(of: address, recorded.token)
            try await removeOwn(places.incoming)
            if let base = recorded.base { try await putBack(places, base) }
            try await record { try $0.end(exchange: place, token: recorded.token) }
        }
    }

    private func recordedExchange(_ place: ExchangePlace) async throws(DAVError) -> RecordedExchange? {
        do {
            return try await catalogue.perform { try $0.exchange(place) }
        } catch {
            throw Self.failure(error)
        }
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
    static func failure(_ error: any Error) -> DAVError {
        .transport(.file(error as? Errno ?? ((error as? Database.Failure)?.isFull == true ? .noSpace : .inputOutput)))
    }

    // MARK: Remains

    /// Moves a file from its temporary name back to its name. If another client has used the name meanwhile, compares
    /// the file with the state that the edit is based on. If they are equal, both clients have replaced this state, and
    /// the file is removed. Otherwise the file may contain a change that no client has seen, so it gets a new name.
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

    /// Removes a temporary file of an exchange, if it exists.
    private func removeOwn(_ address: HTTPAddress) async throws(DAVError) {
        do {
            try await client.delete(address)
        } catch {
            guard case .notFound = error else { throw error }
        }
    }
}
