import DomainMessages
import FileProviderWire
import Foundation
import LinuxSystem
import ProgramTesting
import ScriptableService

/// The service of a scriptable provider.
struct ScriptedService: TrialService {
    private let cloud: StartedCloud
    private let model: StartedCloud.Model
    let stepLog: String

    init(_ model: StartedCloud.Model, home: String) throws {
        self.model = model
        cloud = try StartedCloud(program: BuiltProgram.path("ScriptableProvider"), folder: home + "/service")
        // The provider can write to this directory, which it is given.
        stepLog = cloud.folder + "/steps"
    }

    func prepare(_ scenario: Scenario) throws {
        try cloud.control.change { settings in
            settings.pageLimit = scenario.pageLimit
            settings.identifiersArePaths = model.identifiersArePaths
        }
        if scenario.givesParts { try Data().write(to: URL(fileURLWithPath: cloud.folder + "/gives-parts")) }
    }

    func addDomain(to place: FaultFixture) throws {
        try place.call(
            AddDomainCall(
                provider: StartedCloud.providerIdentifier, name: FaultFixture.domain,
                settings: [DomainSetting(key: DomainSetting.path, value: cloud.folder)],
                password: try cloud.control.settings().password))
    }

    func order(_ fault: Fault) throws { if let rule = fault.rule { try cloud.control.add(rule) } }
    func held() throws -> Int { try cloud.control.held() }
    func release() throws { try cloud.control.removeRules() }

    func isRefusing() throws -> Bool {
        let settings = try cloud.control.settings()
        return settings.quota != nil || settings.password != nil
    }

    func resolve(_ fault: Fault, in place: FaultFixture) throws {
        if fault.kind == .quota {
            try cloud.control.change { $0.quota = nil }
            place.retry()
        } else {
            try place.call(SignInDomainCall(name: FaultFixture.domain, password: Fault.password))
        }
    }

    func requests() throws -> [String: Int] {
        try cloud.control.requests().reduce(into: [:]) { counts, request in
            for place in [Fault.Place.request, .answer, .asked(request.kind)] { counts[place.name, default: 0] += 1 }
        }
    }

    // MARK: Other clients

    func makeFolder(_ path: String) throws { try cloud.control.fill(path, count: 0) }
    func put(_ path: String, _ text: String) throws { try cloud.control.put(path, text) }
    func remove(_ path: String) throws { try cloud.control.remove(path) }
    func move(_ path: String, to target: String) throws { try cloud.control.move(path, to: target) }
    func expireAnchors() throws { try cloud.control.expireAnchors() }

    func contents() throws -> TrialContents {
        let everything = try cloud.control.everything()
        let tree = everything.mapValues { item, contents in
            switch item.kind {
            case .folder: "folder"
            case .link: "-> " + (item.linkTarget ?? "")
            case .file: String(decoding: contents, as: UTF8.self)
            }
        }
        let items = everything.mapValues(\.item)
        let marks = items.mapValues { FaultFixture.words($0) }.filter { !$0.value.isEmpty }
        return TrialContents(tree: tree, marks: marks, items: items)
    }

    func snapshot() throws -> [String: TrialItem] {
        try cloud.control.snapshot().mapValues { TrialItem(isFile: $0.kind == .file, size: $0.size, item: $0) }
    }

    func end() { cloud.end() }
}
