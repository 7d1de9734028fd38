import FileProvider
import Glibc
import LinuxSystem

/// The limits of a provider's process.
package struct ProviderProcessOptions: Sendable {
    /// The time after which an idle process is ended.
    package var idleTime: Duration
    /// The time limit for a request that transfers no contents. If it is `nil`, the time limit in the extension's
    /// property list is used, or the default.
    package var answerTime: Duration?
    /// The time that a file transfer may go without a progress report.
    package var transferTime: Duration
    /// The number of consecutive unexpected ends after which the process is no longer started. A reply of the process
    /// resets the count.
    package var crashLimit = 3
    /// The time that the host adds to a request's time limit before it ends the process. The runtime in the extension's
    /// process observes the limit without this addition, and only cancels the request.
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

/// Environment variables that tests set for the processes of providers. They are passed on to these processes.
enum ProviderVariables {
    /// The ``FaultPoint`` at which the process ends itself. Only the first process gets this variable, so that the next
    /// process does not end there.
    private static let faultPoint = FirstOnly(value(of: "PURVEY_PROVIDER_FAULT_POINT", as: "PURVEY_FAULT_POINT"))
    /// The file in which all processes record the fault points that they reach.
    private static let faultLog = value(of: "PURVEY_FAULT_LOG", as: "PURVEY_FAULT_LOG")
    /// The time limit for waiting for access to a file of the document storage.
    private static let turnTime = value(of: StorageAccess.patienceKey, as: StorageAccess.patienceKey)

    /// Returns the variables for the next process that is started, each as `NAME=VALUE`.
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
