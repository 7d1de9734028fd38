import FileProvider
import Glibc

/// Environment variables that tests set for the processes of providers.
enum ProviderVariables {
    /// The ``FaultPoint`` at which the process ends itself. Only the first process gets this variable, so that the next
    /// process passes the fault point.
    private static let faultPoint = FirstOnly(value(of: "PURVEY_PROVIDER_FAULT_POINT", as: "PURVEY_FAULT_POINT"))
    /// The file in which all processes record the steps that they reach.
    private static let faultLog = value(of: "PURVEY_FAULT_LOG", as: "PURVEY_FAULT_LOG")
    /// The time that a process waits for its turn with files of its document storage.
    private static let turnTime = value(of: StorageAccess.patienceKey, as: StorageAccess.patienceKey)

    /// Returns the variables of the next process, each as `NAME=VALUE`.
    static func ofNextProcess() -> [String] { faultPoint.take() + faultLog + turnTime }

    private static func value(of name: String, as given: String) -> [String] {
        getenv(name).map { ["\(given)=" + String(cString: $0)] } ?? []
    }
}
