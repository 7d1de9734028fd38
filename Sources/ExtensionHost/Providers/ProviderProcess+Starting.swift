import Conduit
import FileProvider

extension ProviderProcess {
    /// The error for an extension of another extension point.
    struct NoProviderError: Error, CustomStringConvertible {
        let description: String
    }

    /// A started process that has not been sent its greeting.
    struct Started: Sendable {
        let instance: ProviderInstance
        let greeting: BeginProviderCall
        /// The directory that was handed to the process.
        let handed: HandedFolder?
    }

    /// The maximum size of a file that a provider writes, in effect none. Its memory files are limited by its memory
    /// limit.
    static let largestFile: UInt64 = 1 << 46

    /// The limits of a provider's connection. Its only calls are those that watch directories, and it usually waits
    /// for each reply before the next one.
    static let limits: ConnectionLimits = {
        var limits = ProviderWire.limits
        (limits.callsInFlight, limits.servedBytes, limits.servedDescriptors) = (4096, 16 << 20, 1024)
        (limits.queuedDescriptors, limits.unclosedDescriptors) = (1024, 256)
        return limits
    }()
}
