import FileProvider
import Glibc

/// Variables of the environment that tests set for the processes of providers.
enum ProviderVariables {
    /// The step of its own at which a process ends, as ``FaultPoint`` has it. Only the first process ends, so that the next one comes
    /// past the step.
    private static let faultPoint = FirstOnly(value(of: "PURVEY_PROVIDER_FAULT_POINT", as: "PURVEY_FAULT_POINT"))
    /// The file in which all processes note the steps that they come to.
    private static let faultLog = value(of: "PURVEY_FAULT_LOG", as: "PURVEY_FAULT_LOG")
    /// The time that a process waits for its turn with files of its document storage.
    private static let turnTime = value(of: StorageTurn.patienceKey, as: StorageTurn.patienceKey)

    /// Returns the variables of the next process, each as `NAME=VALUE`.
    static func ofNextProcess() -> [String] { faultPoint.take() + faultLog + turnTime }

    private static func value(of name: String, as given: String) -> [String] {
        getenv(name).map { ["\(given)=" + String(cString: $0)] } ?? []
    }
}
