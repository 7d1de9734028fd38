import FileProvider

extension ProviderProcess {
    /// The error for an extension of another extension point.
    struct NoProvider: Error, CustomStringConvertible {
        let description: String
    }

    /// A started process that has not been sent its greeting.
    struct Started: Sendable {
        let instance: ProviderInstance
        let greeting: BeginProviderCall
        /// The directory that was handed to the process.
        let handed: HandedFolder?
    }
}
