import CloudTesting
import DaemonTesting
import Exchange
import Foundation
import LinuxSystem
import ScriptableService

/// A server of `Tests/CloudServers` behind the proxy that causes the faults.
struct ServerService: TrialService {
    private let stage: CloudStage
    private let isNextcloud: Bool
    private let passwordFile: String
    let stepLog: String

    private static let password = "secret"

    /// - Parameters:
    ///   - server: The name of the server.
    ///   - daemon: The daemon, which does not run yet.
    init(_ model: TrialModel, _ server: String, for daemon: StartedDaemon) throws {
        isNextcloud = model == .nextcloud
        stage = try CloudStage(isNextcloud ? "nextcloud" : server)
        passwordFile = daemon.home + "/password"
        // The confined provider can write only to its container.
        let container = daemon.locations.data + "/containers/org.purvey.\(Self.provider(model))"
        try FileManager.default.createDirectory(atPath: container + "/Documents", withIntermediateDirectories: true)
        stepLog = container + "/Documents/steps"
        try Data((Self.password + "\n").utf8).write(to: URL(filePath: passwordFile))
    }

    /// The name of the provider's directory in `Providers`.
    static func provider(_ model: TrialModel) -> String { model == .nextcloud ? "Nextcloud" : "WebDAV" }

    func prepare(_ scenario: Scenario) {}

    func addDomain(to place: FaultFixture) throws {
        let url = isNextcloud ? stage.url.replacing("remote.php/dav/files/alice/", with: "") : stage.url
        let (ending, text) = try place.daemon.purvey(
            [
                "domains", "add", isNextcloud ? "nextcloud" : "webdav", FaultFixture.domain, "url=\(url)", "user=alice",
                "--password-file", passwordFile,
            ], startsDaemon: false)
        guard ending == .exited(0) else { throw FaultFixture.Failed(description: text) }
        // The requests of the set-up are not the subject.
        try stage.forgetRequests()
    }

    // MARK: Faults

    func order(_ fault: Fault) throws {
        guard let fields = Self.fields(of: fault) else { return }
        try stage.fault(fields)
    }

    private static func fields(of fault: Fault) -> [String: any Sendable]? {
        var fields: [String: any Sendable] = ["skip": fault.count - 1]
        if case .asked(let request) = fault.place { fields["method"] = Self.method(of: request) }
        switch (fault.place, fault.kind) {
        case (.engine(let step), _):
            guard let request = step.cause, let method = Self.method(of: request) else { return nil }
            return ["method": method, "drop": "after"]
        case (.provider, _), (_, .fill): return nil
        case (_, .kill), (_, .stop): fields["hold"] = fault.place == .answer ? "after" : "before"
        case (_, .disconnect): fields["drop"] = fault.place == .request ? "before" : "after"
        case (.request, .slow): fields["delay"] = 1
        case (_, .slow): fields["rate"] = 1_000_000
        case (_, .truncate): fields["cut"] = 7
        case (_, .halve): fields["halve"] = true
        case (_, .lie): fields["size"] = fault.count.isMultiple(of: 2) ? 1 : 5_000_000
        case (_, .quota): (fields["status"], fields["times"]) = (507, -1)
        case (_, .signOut): (fields["status"], fields["times"]) = (401, -1)
        case (_, .busy): (fields["status"], fields["retry_after"], fields["times"]) = (503, 1, 2)
        case (_, .throttled): (fields["status"], fields["retry_after"]) = (429, 1)
        case (_, .locked): fields["status"] = 423
        case (_, .page): fields["html"] = true
        case (_, .longer): fields["extra_length"] = 100
        }
        return fields
    }

    /// Returns the HTTP method of the requests that correspond to a kind of request to a scripted service.
    private static func method(of request: CloudRule.Request) -> String? {
        switch request {
        case .contents: "GET"
        case .page: "PROPFIND"
        case .create: "PUT"
        case .move: "MOVE"
        case .delete: "DELETE"
        default: nil
        }
    }

    private static let asked: [CloudRule.Request] = [.contents, .page, .create, .move, .delete]

    func held() throws -> Int { try stage.held() }
    func release() throws { try stage.clearFaults() }

    func isRefusing() throws -> Bool { try stage.requests().contains { [401, 507].contains($0.status) } }

    func resolve(_ fault: Fault, in place: FaultFixture) throws {
        try stage.clearFaults()
        if fault.kind == .quota { return place.retry() }
        let (ending, text) = try place.daemon.purvey(
            ["sign-in", "--password-file", passwordFile, FaultFixture.domain], startsDaemon: false)
        guard ending == .exited(0) else { throw FaultFixture.Failed(description: text) }
    }

    func requests() throws -> [String: Int] {
        let names = Dictionary(uniqueKeysWithValues: Self.asked.map { (Self.method(of: $0) ?? "", $0) })
        return try stage.requests().reduce(into: [:]) { counts, request in
            for place in [Fault.Place.request, .answer] { counts[place.name, default: 0] += 1 }
            if let asked = names[request.method] { counts[Fault.Place.asked(asked).name, default: 0] += 1 }
        }
    }

    // MARK: Other clients

    func makeFolder(_ path: String) throws { try stage.makeFolder(path) }
    func put(_ path: String, _ text: String) throws { try stage.put(path, text) }
    func remove(_ path: String) throws { try stage.remove(path) }
    func move(_ path: String, to target: String) throws { try stage.move(path, to: target) }
    func expireAnchors() {}

    func contents() throws -> TrialContents { TrialContents(tree: try stage.tree()) }

    func snapshot() throws -> [String: TrialItem] {
        try stage.tree().mapValues { TrialItem(isFile: $0 != "folder", size: $0.utf8.count, item: nil) }
    }

    func end() { stage.end() }
}
