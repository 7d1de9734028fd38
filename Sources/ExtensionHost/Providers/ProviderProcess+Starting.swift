import FileProvider

extension ProviderProcess {
    /// An extension of another point than file providers'.
    struct NoProvider: Error, CustomStringConvertible {
        let description: String
    }

    /// A process that was started and not greeted yet.
    struct Started: Sendable {
        let instance: ProviderInstance
        let greeting: BeginProviderCall
        /// The folder that it reaches.
        let handed: HandedFolder?
    }
}
