import FileCoordination

/// Files that are put in place on demand: those in the document storages of file providers.
package protocol ProvidedFiles: Sendable {
    /// The time that other processes wait for a provider to learn of a change.
    var patience: Duration { get }

    /// Whether a path may be that of such a file. Called for every claim, so it must be quick and must not block.
    func mayProvide(_ path: ExactPath) -> Bool

    /// Puts files in place. Cancelling the task cancels this.
    ///
    /// - Parameter purpose: The purpose identifier of the client. A provider's own files are not provided to it.
    /// - Returns: A hold that keeps the files in place until it ends, or the reason why they cannot be provided. On
    ///   failure nothing is kept.
    func begin(_ uses: [ProvidedUse], purpose: String) async -> Result<any ProvidedFilesLease, CoordinationError>
}

/// A file that a claim needs provided, and in which form.
package struct ProvidedUse: Sendable {
    package enum Need: Sendable {
        case contents
        /// The contents, to change them. The file need not exist yet.
        case contentsIfAny
        /// The placeholder that stands for the file.
        case placeholder
        /// Nothing, as the file is replaced or removed, or was provided before.
        case nothing
    }

    package let path: ExactPath
    package let need: Need
}

/// A hold on files that are kept in place for a claim.
package protocol ProvidedFilesLease: Sendable {
    /// Ends the hold. Called once.
    ///
    /// - Parameters:
    ///   - changed: The paths of files that have changed contents.
    ///   - noted: Called when the provider knows of the changes, or cannot be notified.
    func end(changed: [ExactPath], noted: @escaping @Sendable () -> Void)
}
