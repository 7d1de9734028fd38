import DomainMessages
import ExtensionHost
import FileProvider
import FileProviderWire
import ItemValues
import LinuxSystem

/// Requests about the services that a provider offers to programs.
extension ExtensionProvider {
    /// Returns the names of the services that the provider offers for the given item.
    ///
    /// - Parameter isOwn: Whether the client is one of the provider's own programs.
    package func services(of identifier: String, isOwn: Bool) async throws(ProviderError) -> [String] {
        try await ask(ProviderServicesCall(identifier: identifier, isOwn: isOwn), isSafe: true, isForProgram: true)
            .names
    }

    /// Connects a program to one of the provider's services. The provider's process is kept running while the
    /// connection exists.
    ///
    /// - Returns: The program's end of the connection.
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

/// Requests to set up a domain.
extension ExtensionProvider {
    /// Returns whether the provider sets up domains. The request is sent to the process that serves the domain.
    package func setsUpDomains() async throws(ProviderError) -> Bool {
        try await ask(ProviderSetsUpCall(), isSafe: true).isServed
    }

    /// Asks the provider to set up the domain, and stores the resulting settings. Other requests wait until the set-up
    /// has ended. While the provider waits for the user or the browser, the set-up does not time out. Cancelling the
    /// task cancels the set-up.
    ///
    /// - Parameters:
    ///   - candidate: The domain with the settings to try.
    ///   - adopt: A function that stores the settings, and returns the domain with them. Called only if the provider
    ///     has set up the domain.
    /// - Returns: Whether the provider sets up domains.
    package func setUp(
        _ request: ProviderSetUpCall, of candidate: ProviderDomain,
        adopting adopt: @Sendable ([DomainSetting]) async throws(ProviderError) -> ProviderDomain
    ) async throws(ProviderError) -> Bool {
        try await process.setUp(request, of: candidate, adopting: adopt)
    }

    /// Returns the lines of the provider's description of its service. Empty if the provider has no description.
    package func findings() async throws(ProviderError) -> [String] {
        try checkConnected()
        return try await process.call(ProviderFindingsCall()).lines
    }
}

/// Requests about the provider's interactions with the user.
extension ExtensionProvider {
    /// Returns whether the user has suppressed the given interaction.
    ///
    /// - Throws: A failure of kind ``ProviderError/Kind/unsupported`` if the provider's interactions cannot be
    ///   suppressed.
    package func isSuppressed(_ interaction: String) async throws(ProviderError) -> Bool {
        try await ask(ProviderSuppressionCall(identifier: interaction), isSafe: true, isForProgram: true).isSuppressed
    }

    /// Suppresses the given interaction, or allows it again.
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
        var awaited = Set(texts: identifiers)
        return answer.thumbnails.compactMap { thumbnail in
            guard awaited.remove(thumbnail.identifier) else { return nil }
            guard let picture = thumbnail.picture else { return thumbnail }
            let size = (try? picture.status().size) ?? .max
            if MemoryFile.isSealed(picture), size <= ProviderThumbnailsCall.largestPicture { return thumbnail }
            return ProviderThumbnail(
                identifier: thumbnail.identifier, picture: nil,
                failure: .bad("a thumbnail that is not a sealed picture"))
        }
    }
}

/// Requests on behalf of programs that access files in the provider's document storage with file coordination.
extension ExtensionProvider {
    /// Returns the identifier of the item whose file has the given path. Returns `nil` if there is no such item.
    ///
    /// - Parameter path: An absolute path.
    package func identify(path: String) async throws(ProviderError) -> String? {
        try await ask(ProviderIdentifyCall(path: path), isSafe: true, isForProgram: true).identifier
    }

    /// Records that a program begins to use an item's file. Until ``endUse(of:)`` is called, the engine does not ask
    /// the provider to remove the file.
    package func beginUse(of identifier: String) async { await uses.begin(identifier) }

    /// Records that a program no longer uses an item's file.
    ///
    /// - Returns: Whether no program uses the file any more.
    package func endUse(of identifier: String) -> Bool { uses.end(identifier) }

    /// Asks the provider to create an item's file at the given path. Cancelling the task cancels the request.
    ///
    /// - Parameter wantsContents: Whether the file needs its contents; otherwise the provider creates a placeholder.
    package func start(_ identifier: String, at path: String, wantsContents: Bool) async throws(ProviderError) {
        _ = try await ask(
            ProviderStartCall(identifier: identifier, path: path, wantsContents: wantsContents), isSafe: true,
            .transfer, isForProgram: true)
    }

    /// Notifies the provider that a program has changed an item's file. Repeating the notification has no further
    /// effect.
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
        var identifiers: Set<ExactText> = []
        found.results = found.results.prefix(limit).filter { result in
            !result.identifier.isEmpty && result.identifier.utf8.count <= ProviderItem.longestText
                && Self.isListable(result.identifier) && identifiers.insert(result.identifier)
        }
        return found
    }
}
