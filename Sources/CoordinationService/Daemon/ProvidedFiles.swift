import FileCoordination

/// Files that somebody puts to their places when they are wanted there: those in the document storages of file providers.
package protocol ProvidedFiles: Sendable {
    /// How long others wait until whoever provides a file knows what was written.
    var patience: Duration { get }

    /// Whether a path may be that of such a file. Asked with every claim: quick, and without blocking.
    func mayProvide(_ path: ExactPath) -> Bool

    /// Has files be at their places. Cancelling the task gives it up.
    ///
    /// - Parameter purpose: of whoever is going to use them. Those that are a provider's own are not provided to it.
    /// - Returns: what keeps them there until its end, or why they cannot be there; nothing is kept then.
    func begin(_ uses: [ProvidedUse], purpose: String) async -> Result<any ProvidedHold, CoordinationFailure>
}

/// What a claim wants of a file that is provided.
package struct ProvidedUse: Sendable {
    package enum Need: Sendable {
        case contents
        /// To change them: there need not be a file yet.
        case contentsIfAny
        /// What stands for the file will do.
        case placeholder
        /// The file is replaced or removed, or was provided before.
        case nothing
    }

    package let path: ExactPath
    package let need: Need
}

/// Files that are kept at their places for somebody.
package protocol ProvidedHold: Sendable {
    /// They are used no more. Called once.
    ///
    /// - Parameters:
    ///   - changed: the places of files that have other contents now.
    ///   - noted: called when whoever provides those knows of it, or cannot be told.
    func end(changed: [ExactPath], noted: @escaping @Sendable () -> Void)
}
