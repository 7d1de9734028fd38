import ExtensionHost
import FileProviderWire

/// Coordinated access of programs to files at their paths in the provider's document storage.
extension ExtensionProvider {
    /// Returns the identifier of the item at a path, or `nil` if no item has its file at that path.
    ///
    /// - Parameter path: an absolute path.
    package func identify(path: String) async throws(ProviderError) -> String? {
        try await ask(ProviderIdentifyCall(path: path), isSafe: true, isForProgram: true).identifier
    }

    /// Begins a program's use of an item's file. The provider keeps the file until ``endUse(of:)``.
    package func beginUse(of identifier: String) async { await uses.begin(identifier) }

    /// Ends a program's use of an item's file.
    ///
    /// - Returns: whether no program uses the file any more.
    package func endUse(of identifier: String) -> Bool { uses.end(identifier) }

    /// Asks the provider for an item's file, or its placeholder, at its path. Cancelling the task cancels the
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
