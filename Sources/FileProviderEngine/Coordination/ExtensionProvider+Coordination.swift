import ExtensionHost
import FileProvider

/// Files that programs use in turn at their places in the provider's document storage.
extension ExtensionProvider {
    /// Which item's file is at a place; `nil` for none.
    ///
    /// - Parameter path: absolute.
    package func identify(path: String) async throws(ProviderFailure) -> String? {
        try await ask(ProviderIdentifyCall(path: path), isSafe: true, isForProgram: true).identifier
    }

    /// A program is going to use an item's file: until ``endUse(of:)`` the provider keeps it.
    package func beginUse(of identifier: String) async { await uses.begin(identifier) }

    /// - Returns: whether no program uses the file any more.
    package func endUse(of identifier: String) -> Bool { uses.end(identifier) }

    /// Has an item's file, or what stands for it, be at its place. Cancelling the task gives it up.
    package func start(_ identifier: String, at path: String, wantsContents: Bool) async throws(ProviderFailure) {
        _ = try await ask(
            ProviderStartCall(identifier: identifier, path: path, wantsContents: wantsContents), isSafe: true,
            .transfer, isForProgram: true)
    }

    /// Tells that a program has changed an item's file. Telling it twice does no harm.
    package func noteChange(of identifier: String, at path: String) async throws(ProviderFailure) {
        _ = try await ask(
            ProviderChangedCall(identifier: identifier, path: path), isSafe: true, isForProgram: true)
    }
}
