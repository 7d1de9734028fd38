import Conduit
import FileProvider

extension ProviderProcess {
    /// The error for an extension of another extension point.
    struct NoProviderError: Error, CustomStringConvertible {
        let description: String
    }

    /// A process that has started and has not received its greeting yet.
    struct Started: Sendable {
        let instance: ProviderInstance
        let greeting: BeginProviderCall
        /// The directory that was handed to the process.
        let handed: HandedFolder?
    }

    /// The maximum size in bytes of a file that a provider writes. It is so large that it has no effect. Memory files
    /// are limited by the memory limit.
    static let largestFile: UInt64 = 1 << 46

    /// The limits of a provider's connection. Its only calls are requests to watch directories, and it usually waits
    /// for each reply before the next call.
    static let limits: ConnectionLimits = {
        var limits = ProviderWire.limits
        (limits.callsInFlight, limits.servedBytes, limits.servedDescriptors) = (4096, 16 << 20, 1024)
        (limits.queuedDescriptors, limits.unclosedDescriptors) = (1024, 256)
        return limits
    }()
}
