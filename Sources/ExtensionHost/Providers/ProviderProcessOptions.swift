import FileProvider
import Glibc

/// How patient a host is with a provider's process.
package struct ProviderProcessOptions: Sendable {
    /// How long the process is kept without anything to do.
    package var idleTime: Duration
    /// How long a question may take; `nil` is what the extension's property list asks for, or what is usual.
    package var answerTime: Duration?
    /// How long a file may take without any progress.
    package var transferTime: Duration
    /// After so many ends in a row that nobody asked for, without an answer in between, it is not started any more.
    package var crashLimit = 3
    /// How much longer than the extension's own runtime the host waits: that one gives up the question only, the host the process.
    package var patience: Duration

    /// In the environment: the seconds of ``idleTime``.
    package static let idleKey = "PURVEY_PROVIDER_IDLE_TIME"

    /// In the environment: the seconds of ``transferTime``.
    package static let transferKey = "PURVEY_PROVIDER_TRANSFER_TIME"

    /// In the environment: the seconds of ``answerTime``, whatever the extension asks for.
    package static let answerKey = "PURVEY_PROVIDER_ANSWER_TIME"

    /// In the environment: the seconds of ``patience``.
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
