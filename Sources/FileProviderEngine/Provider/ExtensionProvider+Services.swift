import DomainMessages
import ExtensionHost
import FileProvider
import FileProviderWire
import ItemValues
import LinuxSystem

/// Services that a provider offers to programs.
extension ExtensionProvider {
    /// Returns the names of the services that the provider offers for an item.
    ///
    /// - Parameter isOwn: whether the client is a program of the provider's own.
    package func services(of identifier: String, isOwn: Bool) async throws(ProviderError) -> [String] {
        try await ask(ProviderServicesCall(identifier: identifier, isOwn: isOwn), isSafe: true, isForProgram: true)
            .names
    }

    /// Connects a program to a service. The provider's process is kept running as long as the program keeps the
    /// connection.
    ///
    /// - Returns: the program's end of the connection.
    package func openService(
        _ name: String, of identifier: String, isOwn: Bool
    ) async throws(ProviderError) -> FileDescriptor {
        try checkConnected()
        let (program, provider): (SequencedPacketSocket, SequencedPacketSocket)
        do {
            (program, provider) = try SequencedPacketSocket.pair()
        } catch {
            throw ProviderError(error)
        }
        let request = ProviderServiceCall(
            identifier: identifier, name: name, isOwn: isOwn, socket: provider.descriptor)
        let result: Result<Void, ProviderError> = await withCheckedContinuation { continuation in
            let first = OneShotCompletion<Result<Void, ProviderError>> { continuation.resume(returning: $0) }
            // The call lasts as long as the connection, and outlives this function.
            Task {
                do throws(ProviderError) {
                    _ = try await process.call(request, .service) { _, _ in first.complete(.success(())) }
                    first.complete(.success(()))
                } catch {
                    first.complete(.failure(error))
                }
            }
        }
        try result.get()
        return program.descriptor
    }
}

/// The set-up of a domain.
extension ExtensionProvider {
    /// Whether the provider sets up domains. The request goes to the process that serves the domain.
    package func setsUpDomains() async throws(ProviderError) -> Bool {
        try await ask(ProviderSetsUpCall(), isSafe: true).isServed
    }

    /// Makes the provider set up the domain, and stores the result. Other requests wait until the set-up has ended. The
    /// time while the provider waits for the user or the browser is not limited. Cancelling the task cancels the
    /// set-up.
    ///
    /// - Parameters:
    ///   - candidate: The domain with the settings to try.
    ///   - adopt: Stores the settings, and returns the domain with them. Called only if the provider has set it up.
    /// - Returns: Whether the provider sets up domains.
    package func setUp(
        _ request: ProviderSetUpCall, of candidate: ProviderDomain,
        adopting adopt: @Sendable ([DomainSetting]) async throws(ProviderError) -> ProviderDomain
    ) async throws(ProviderError) -> Bool {
        try await process.setUp(request, of: candidate, adopting: adopt)
    }

    /// Returns the provider's description of its service, one line each; empty if it has none.
    package func findings() async throws(ProviderError) -> [String] {
        try checkConnected()
        return try await process.call(ProviderFindingsCall()).lines
    }
}

/// The interactions of the provider with the user.
extension ExtensionProvider {
    /// Whether the user has suppressed an interaction.
    ///
    /// - Throws: A failure of kind ``ProviderError/Kind/unsupported`` if the provider's interactions cannot be
    ///   suppressed.
    package func isSuppressed(_ interaction: String) async throws(ProviderError) -> Bool {
        try await ask(ProviderSuppressionCall(identifier: interaction), isSafe: true, isForProgram: true).isSuppressed
    }

    /// Suppresses an interaction, or allows it again.
    package func setSuppressed(_ isSuppressed: Bool, _ interaction: String) async throws(ProviderError) {
        _ = try await ask(
            ProviderSuppressionCall(identifier: interaction, change: isSuppressed), isSafe: true, isForProgram: true)
    }
}

/// Requests for thumbnails.
extension ExtensionProvider {
    package func thumbnails(
        of identifiers: [String], side: Int
    ) async throws(ProviderError) -> [ProviderThumbnail] {
        let answer = try await ask(
            ProviderThumbnailsCall(identifiers: identifiers, side: side), isSafe: true, .transfer)
        var awaited = Set(identifiers)
        return answer.thumbnails.compactMap { thumbnail in
            guard awaited.remove(thumbnail.identifier) != nil else { return nil }
            guard let picture = thumbnail.picture else { return thumbnail }
            let size = (try? picture.status().size) ?? .max
            if MemoryFile.isSealed(picture), size <= ProviderThumbnailsCall.largestPicture { return thumbnail }
            return ProviderThumbnail(
                identifier: thumbnail.identifier, picture: nil,
                failure: .bad("a thumbnail that is not a sealed picture"))
        }
    }
}

/// Coordinated access of programs to files at their paths in the provider's document storage.
extension ExtensionProvider {
    /// Returns the identifier of the item at a path, or `nil` if no item has its file at that path.
    ///
    /// - Parameter path: an absolute path.
    package func identify(path: String) async throws(ProviderError) -> String? {
        try await ask(ProviderIdentifyCall(path: path), isSafe: true, isForProgram: true).identifier
    }

    /// Begins a program's use of an item's file. Until ``endUse(of:)``, the provider is not asked to remove the file.
    package func beginUse(of identifier: String) async { await uses.begin(identifier) }

    /// Ends a program's use of an item's file.
    ///
    /// - Returns: whether no program uses the file any more.
    package func endUse(of identifier: String) -> Bool { uses.end(identifier) }

    /// Asks the provider to create an item's file at its path, or a placeholder. Cancelling the task cancels the
    /// request.
    package func start(_ identifier: String, at path: String, wantsContents: Bool) async throws(ProviderError) {
        _ = try await ask(
            ProviderStartCall(identifier: identifier, path: path, wantsContents: wantsContents), isSafe: true,
            .transfer, isForProgram: true)
    }

    /// Reports to the provider that a program has changed an item's file. A repeated report does no harm.
    package func noteChange(of identifier: String, at path: String) async throws(ProviderError) {
        _ = try await ask(
            ProviderChangedCall(identifier: identifier, path: path), isSafe: true, isForProgram: true)
    }
}

extension ExtensionProvider {
    package func search(
        _ query: String, limit: Int, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderSearchResults {
        let limit = min(max(1, limit), ProviderSearchCall.mostResults)
        guard query.utf8.count <= ProviderSearchCall.longestQuery else {
            throw ProviderError(
                .unsupported,
                message: "the search text has \(query.utf8.count) bytes, of at most "
                    + "\(ProviderSearchCall.longestQuery)")
        }
        // The user waits for the result, but the engine does not, so the search does not use a slot of the engine's
        // requests. If a search crashes the provider, the crash is not counted, because a counted crash could make the
        // engine stop sending requests.
        var found = try await ask(
            ProviderSearchCall(query: query, limit: limit), isSafe: false, isForProgram: true, mayDie: true,
            progress: progress)
        var identifiers: Set<String> = []
        found.results = found.results.prefix(limit).filter { result in
            !result.identifier.isEmpty && result.identifier.utf8.count <= ProviderItem.longestText
                && Self.isListable(result.identifier) && identifiers.insert(result.identifier).inserted
        }
        return found
    }
}
