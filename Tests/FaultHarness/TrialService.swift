import LinuxSystem
import ScriptableService

/// The service of a trial's domain, as its other clients and the harness use it. All calls block.
protocol TrialService: Sendable {
    /// The path of the file to which the daemon and the provider append the steps that they reach. The confined
    /// provider can write to it.
    var stepLog: String { get }

    /// Prepares the service for a scenario. Called before the daemon runs.
    func prepare(_ scenario: Scenario) throws

    /// Adds the domain to the daemon.
    func addDomain(to place: FaultFixture) throws

    /// Makes a fault of the service occur.
    func order(_ fault: Fault) throws

    /// The number of requests that the fault delays at the moment.
    func held() throws -> Int
    /// Ends the fault, and continues the delayed requests.
    func release() throws

    /// Whether the service refuses requests until the user resolves the cause.
    func isRefusing() throws -> Bool
    /// Resolves a refusal, as the user would.
    func resolve(_ fault: Fault, in place: FaultFixture) throws

    /// Returns the number of requests of each kind that the service has received, by the names of ``Fault/Place``.
    func requests() throws -> [String: Int]

    // MARK: Other clients

    func makeFolder(_ path: String) throws
    func put(_ path: String, _ text: String) throws
    func remove(_ path: String) throws
    func move(_ path: String, to target: String) throws
    func expireAnchors() throws

    /// Returns all contents of the service.
    func contents() throws -> TrialContents
    /// Returns the items at the service by path, including those in the trash.
    func snapshot() throws -> [String: TrialItem]

    /// Ends the service.
    func end()
}

/// All contents of a service.
struct TrialContents {
    /// The items in the form of ``Tree/read(_:)``, including the trash.
    var tree: [String: String] = [:]
    /// Tags and favorites in words.
    var marks: [String: String] = [:]
    /// The items of a scriptable service.
    var items: [String: CloudItem] = [:]
}

/// An item at a service.
struct TrialItem {
    let isFile: Bool
    /// The number of bytes of a file.
    let size: Int
    /// The item of a scripted service; `nil` if only the provider knows identifiers and versions.
    let item: CloudItem?
}
