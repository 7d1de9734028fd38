import FileProvider
import Glibc
import LinuxSystem

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
    /// The time by which the host's time limit for a request exceeds that of the extension's own runtime. The runtime
    /// only cancels the request, but the host ends the process.
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

/// Environment variables that tests set for the processes of providers.
enum ProviderVariables {
    /// The ``FaultPoint`` at which the process ends itself. Only the first process gets this variable, so that the next
    /// process passes the fault point.
    private static let faultPoint = FirstOnly(value(of: "PURVEY_PROVIDER_FAULT_POINT", as: "PURVEY_FAULT_POINT"))
    /// The file in which all processes record the steps that they reach.
    private static let faultLog = value(of: "PURVEY_FAULT_LOG", as: "PURVEY_FAULT_LOG")
    /// The time that a process waits for access to a file of its document storage.
    private static let turnTime = value(of: StorageAccess.patienceKey, as: StorageAccess.patienceKey)

    /// Returns the variables of the next process, each as `NAME=VALUE`.
    static func ofNextProcess() -> [String] { faultPoint.take() + faultLog + turnTime }

    private static func value(of name: String, as given: String) -> [String] {
        getenv(name).map { ["\(given)=" + String(cString: $0)] } ?? []
    }
}

/// Values that only the first call of ``take()`` returns.
final class FirstOnly: Sendable {
    // Leaf lock.
    private let values: Lock<[String]>

    init(_ values: [String]) { self.values = Lock(values) }

    func take() -> [String] {
        values.withLock { values in
            defer { values = [] }
            return values
        }
    }
}
