import HTTPTransport
import WebDAVClient

/// Changes the contents of files.
extension ServerWriter {
    /// The version that an edit is based on.
    struct Base: Sendable {
        let version: String
        /// The digest of the version's contents if other contents may have the same version; `nil` otherwise.
        let digest: [UInt8]?
    }

    /// Replaces the contents of a file if its current contents are the ones that the edit is based on. Succeeds as well
    /// if another client has written the same new contents.
    ///
    /// - Returns: the state of the file with the new contents.
    /// - Throws: `requirementFailed` if another client has changed the file.
    func replace(
        _ address: HTTPAddress, with contents: OutgoingFile, base: Base
    ) async throws(DAVError) -> DAVEntry {
        if profile.writing == .exchange { try await clearExchange(at: address) }
        guard let now = try await settledEntry(at: address) else { throw .notFound(address.path) }
        guard try await isBase(now, base) else { return try await same(now, contents) }
        let sent: DAVUpload
        do {
            if profile.writing == .conditions, showsResult, let tag = try await tagForCondition(now, base) {
                sent = try await send(contents, to: address, DAVRequirements(resource: .tag(tag)))
            } else if profile.locking == .enforced {
                return try await withLock(on: address) { (lock) throws(DAVError) in
                    guard let locked = try await entry(at: address), try await isBase(locked, base) else {
                        throw .requirementFailed(address.path)
                    }
                    let sent = try await send(contents, to: address, DAVRequirements(locks: [lock]))
                    return try await written(contents, at: address, sent, isLocked: true)
                }
            } else if profile.writing == .exchange {
                return try await exchange(address, contents, base)
            } else {
                sent = try await replaceUnprotected(address, contents, base)
            }
        } catch {
            return try await result(of: contents, at: address, after: error, before: now)
        }
        return try await written(contents, at: address, sent)
    }

    /// Whether the result of an upload can be identified without a lock. This is so if the reply contains the tag of
    /// the new state, or if the server has no locks. Without a tag, only a lock prevents a later write of another
    /// client from being mistaken for this upload.
    private var showsResult: Bool { profile.repliesWithTag || profile.locking != .enforced }

    /// Returns a file's strong tag, for use in a condition. The tag comes from the file's properties, or else from the
    /// reply to a request for the file's contents.
    private func tagForCondition(_ entry: DAVEntry, _ base: Base) async throws(DAVError) -> DAVEntityTag? {
        if let tag = entry.tag { return tag.isWeak ? nil : tag }
        let contents = try await client.get(entry.address, range: HTTPByteRange(0..<1), to: .nowhere)
        guard let tag = contents.tag, !tag.isWeak else { return nil }
        // The file may have changed between the comparison and this reply.
        guard let again = try await self.entry(at: entry.address), try await isBase(again, base) else {
            throw .requirementFailed(entry.address.path)
        }
        return tag
    }

    /// Replaces contents on a server that is not known to honour conditions: compares the version immediately before
    /// the upload. The probe may not have noticed that the server honours conditions, so the upload has a condition
    /// unless the server refuses conditions.
    private func replaceUnprotected(
        _ address: HTTPAddress, _ contents: OutgoingFile, _ base: Base
    ) async throws(DAVError) -> DAVUpload {
        guard let last = try await entry(at: address), version(of: last) == base.version else {
            throw .requirementFailed(address.path)
        }
        let tag = profile.putIfMatch == .refused ? nil : last.tag.flatMap { $0.isWeak ? nil : $0 }
        return try await send(contents, to: address, DAVRequirements(resource: tag.map { .tag($0) } ?? .any))
    }

    func send(
        _ contents: OutgoingFile, to address: HTTPAddress, _ requirements: DAVRequirements
    ) async throws(DAVError) -> DAVUpload {
        try await service.send(upload(of: contents, to: address, requirements), with: client)
    }

    private func upload(
        of contents: OutgoingFile, to address: HTTPAddress, _ requirements: DAVRequirements
    ) -> DAVFileUpload {
        DAVFileUpload(
            file: contents.file, count: contents.count, address: address, requirements: requirements,
            modified: contents.modified, token: contents.token, profile: profile)
    }

    /// Uploads a new file together with others.
    ///
    /// - Returns: the state of the file; `nil` if the caller has to upload it separately.
    func sendTogether(
        _ contents: OutgoingFile, to address: HTTPAddress, in folder: DAVKnownItem
    ) async -> DAVEntry? {
        let upload = upload(of: contents, to: address, DAVRequirements(resource: .absent))
        return await service.sendTogether(upload, in: folder, with: client)
    }

    /// Whether a file is in the state that an edit is based on.
    func isBase(_ entry: DAVEntry, _ base: Base) async throws(DAVError) -> Bool {
        guard version(of: entry) == base.version else { return false }
        return try await hasDigest(entry, base)
    }

    private func hasDigest(_ entry: DAVEntry, _ base: Base) async throws(DAVError) -> Bool {
        guard let known = base.digest else { return true }
        return try await digest(of: entry) == known
    }

    /// Returns the state of a file that another client has changed, if its bytes equal those of the upload.
    ///
    /// - Throws: `requirementFailed` if the bytes differ.
    private func same(_ entry: DAVEntry, _ contents: OutgoingFile) async throws(DAVError) -> DAVEntry {
        guard try await hasSameBytes(entry, as: contents) else { throw .requirementFailed(entry.address.path) }
        return entry
    }

    /// Determines whether an upload that ended with an error has succeeded nevertheless, and returns the state of the
    /// file.
    private func result(
        of contents: OutgoingFile, at address: HTTPAddress, after failure: DAVError, before: DAVEntry?
    ) async throws(DAVError) -> DAVEntry {
        switch failure {
        case .requirementFailed: break
        default: guard failure.mayHaveSucceeded else { throw failure }
        }
        guard let now = try? await entry(at: address), !now.isDirectory else { throw failure }
        if let before, version(of: now) == version(of: before), failure.mayHaveSucceeded { throw failure }
        guard let isSame = try? await hasSameBytes(now, as: contents), isSame else { throw failure }
        return now
    }

    /// Returns the state of a file after its upload.
    ///
    /// - Parameter isLocked: whether a lock has prevented other clients from writing to the file since.
    /// - Throws: `requirementFailed` if another client has written to the file since.
    private func written(
        _ contents: OutgoingFile, at address: HTTPAddress, _ sent: DAVUpload, isLocked: Bool = false
    ) async throws(DAVError) -> DAVEntry {
        guard let now = try await entry(at: address), !now.isDirectory else {
            throw .requirementFailed(address.path)
        }
        let hasSize = now.length == nil || now.length == contents.count
        let hasTag = sent.tag != nil && sent.tag?.opaque == now.tag?.opaque
        // A file that another client has written is unlikely to have the same date.
        let hasDate = sent.tag == nil && sent.hasTakenDate && now.modified == contents.modified
        if hasSize, isLocked || hasTag || hasDate { return now }
        // Some servers reply without a tag, or with a tag that differs from the one in their listings.
        return try await same(now, contents)
    }

    // MARK: New files

    /// Creates a file at an unused address.
    ///
    /// - Parameter isRepeated: whether an earlier attempt may have left an empty file.
    /// - Returns: the state of the file with these contents. An existing file with the same contents is no conflict.
    /// - Throws: `exists` if another item has the name.
    func create(
        _ address: HTTPAddress, _ contents: OutgoingFile, isRepeated: Bool
    ) async throws(DAVError) -> DAVEntry {
        if let existing = try await entry(at: address) {
            if try await hasSameBytes(existing, as: contents) { return existing }
            guard isRepeated, !existing.isDirectory, existing.length == 0 else { throw .exists(address.path) }
            return try await replace(
                address, with: contents, base: Base(version: version(of: existing), digest: nil))
        }
        let sent: DAVUpload
        do {
            if profile.putIfNoneMatch == .honoured, showsResult {
                sent = try await send(contents, to: address, DAVRequirements(resource: .absent))
            } else if profile.locking == .enforced {
                return try await withLock(on: address) { (lock) throws(DAVError) in
                    // On most servers, the lock itself creates an empty file.
                    if let other = try await entry(at: address), other.isDirectory || (other.length ?? 0) > 0 {
                        throw .exists(address.path)
                    }
                    let sent = try await send(contents, to: address, DAVRequirements(locks: [lock]))
                    return try await written(contents, at: address, sent, isLocked: true)
                }
            } else if profile.writing == .exchange {
                return try await bring(contents, to: address)
            } else {
                let isRefused = profile.putIfNoneMatch == .refused
                sent = try await send(contents, to: address, DAVRequirements(resource: isRefused ? .any : .absent))
            }
        } catch {
            do {
                return try await result(of: contents, at: address, after: error, before: nil)
            } catch {
                guard case .requirementFailed = error else { throw error }
                throw .exists(address.path)
            }
        }
        return try await written(contents, at: address, sent)
    }

    /// Creates a folder at an unused address.
    ///
    /// - Parameter isRepeated: whether an earlier attempt may have created the folder.
    func makeFolder(_ address: HTTPAddress, isRepeated: Bool) async throws(DAVError) -> DAVEntry {
        if !profile.refusesExistingDirectories || isRepeated, let existing = try await entry(at: address) {
            let isOwn = isRepeated && existing.isDirectory
            if isOwn, try await client.list(address).all().isEmpty { return existing }
            throw .exists(address.path)
        }
        do {
            try await client.makeDirectory(address)
        } catch {
            guard error.mayHaveSucceeded, let made = try? await entry(at: address), made.isDirectory else {
                throw error
            }
            return made
        }
        return try await client.entry(at: address)
    }
}
