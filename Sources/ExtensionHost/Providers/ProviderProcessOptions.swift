import FileProvider
import Glibc

/// The limits of a provider's process.
package struct ProviderProcessOptions: Sendable {
    /// The time after which an idle process is ended.
    package var idleTime: Duration
    /// The time limit for a request; `nil` for the time limit in the extension's property list, or the default.
    package var answerTime: Duration?
    /// The time that a file transfer may take without progress.
    package var transferTime: Duration
    /// The number of consecutive unexpected ends, without a reply in between, after which the process is not started
    /// any more.
    package var crashLimit = 3
    /// The time between the time limit in the extension's own runtime and the host's. The runtime only cancels the
    /// request, but the host ends the process.
    package var patience: Duration

    /// The environment variable for ``idleTime`` in seconds.
    package static let idleKey = "PURVEY_PROVIDER_IDLE_TIME"

    /// The environment variable for ``transferTime`` in seconds.
    package static let transferKey = "PURVEY_PROVIDER_TRANSFER_TIME"

    /// The environment variable for ``answerTime`` in seconds. It overrides the extension's property list.
    package static let answerKey = "PURVEY_PROVIDER_ANSWER_TIME"

    /// The environment variable for ``patience`` in seconds.
    package static let patienceKey = "PURVEY_PROVIDER_PATIENCE"

    package init(
        idleTime: Duration? = nil, answerTime: Duration? = nil, transferTime: Duration? = nil
    ) {
        self.idleTime = idleTime ?? Self.asked(Self.idleKey) ?? .seconds(300)
        self.answerTime = answerTime ?? Self.asked(Self.answerKey)
        self.transferTime = transferTime ?? Self.asked(Self.transferKey) ?? .seconds(600)
        patience = Self.asked(Self.patienceKey) ?? .seconds(5)
    }

    private static func asked(_ key: String) -> Duration? {
        getenv(key).flatMap { Double(String(cString: $0)) }.flatMap { seconds in
            seconds.isFinite && seconds > 0 && seconds < 1e6 ? .seconds(seconds) : nil
        }
    }
}
