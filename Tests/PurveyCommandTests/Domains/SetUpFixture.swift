import FileTesting
import Foundation
import LinuxSystem
import ProgramTesting
import Testing

/// A ``CommandFixture`` with providers whose set-up is controlled by the setting `does` (Tests/SetUpProvider).
struct SetUpFixture {
    let place: CommandFixture

    static let first = "org.example.setup.first"
    static let second = "org.example.setup.second"
    static let shared = "org.example.setup.shared"

    /// Runs a test with a fixture and the first provider.
    static func run(_ body: (SetUpFixture) async throws -> Void) async throws {
        try await CommandFixture.run { place in
            let fixture = SetUpFixture(place: place)
            try await fixture.install(first, shortName: "first")
            try await body(fixture)
        }
    }

    /// Installs a provider under an identifier.
    func install(
        _ identifier: String, shortName: String, groups: [String] = [], watches: Bool = false
    ) async throws {
        let bundle = place.path(identifier + ".appex")
        var list: [String: Any] = [
            "CFBundleIdentifier": identifier, "CFBundleName": "Set-Up", "CFBundleExecutable": "SetUpProvider",
            "NSExtension": [
                "NSExtensionPointIdentifier": "com.apple.fileprovider-nonui",
                "NSExtensionPrincipalClass": "$(PRODUCT_MODULE_NAME).SetUpProvider",
                "PurveyShortName": shortName, "PurveyWatchesService": watches,
                "PurveyDomainSettings": ["does": "what its set-up does", "user?": "a name", "temporary?": "a text"],
            ] as [String: Any],
        ]
        if !groups.isEmpty { list["keychain-access-groups"] = groups }
        try await makeBundle(at: bundle, list)
        #expect(try await place.purvey("extensions", "install", "--link", bundle).status == 0)
    }

    /// Registers the same program as an app, and returns the path of its executable.
    func register(app identifier: String, groups: [String] = []) async throws -> String {
        let bundle = place.path(identifier + ".app")
        var list: [String: Any] = ["CFBundleIdentifier": identifier, "CFBundleExecutable": "SetUpProvider"]
        if !groups.isEmpty { list["keychain-access-groups"] = groups }
        try await makeBundle(at: bundle, list)
        let outcome = try await place.purvey("bundles", "register", bundle)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return bundle + "/SetUpProvider"
    }

    private func makeBundle(at path: String, _ list: [String: Any]) async throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: path + "/Info.plist"))
        let program = try BuiltProgram.path("SetUpProvider")
        // By another process: see StartedCloud.
        try await onThread {
            let copy = try ChildProgram.start(
                "/bin/cp", arguments: [program, path + "/SetUpProvider"], descriptors: [])
            try #require(try copy.wait() == .exited(0))
        }
    }

    /// Waits until the given number of processes of a provider run.
    func waits(for count: Int, of identifier: String) async throws {
        for _ in 0..<600 {
            if place.processes(of: identifier + ".appex/SetUpProvider").count == count { return }
            try await Task.sleep(for: .milliseconds(200))
        }
        Issue.record("never: \(count) processes of \(identifier)")
    }

    /// Writes a file with a password, and returns its path.
    func passwordFile(_ password: String) throws -> String { try place.write(password + "\n", to: "password") }

    /// Returns the lines of `purvey status NAME` that begin with a word.
    func finding(_ word: String, of name: String) async throws -> String? {
        let outcome = try await place.purvey("status", name)
        try #require(outcome.status == 0, "\(outcome.errors)")
        let line = outcome.text.split(separator: "\n").first { $0.hasPrefix("   \(word) ") || $0 == "   \(word) " }
        return line.map { String($0.dropFirst(4 + word.count)) }
    }

    /// Returns the paths of all files of the daemon and its providers that contain a text.
    func files(with text: String) async throws -> [String] {
        let home = place.home
        return try await onThread {
            let needle = Data(text.utf8)
            let names = FileManager.default.enumerator(atPath: home)?.compactMap { $0 as? String } ?? []
            return names.filter { name in
                !name.hasPrefix("work/")
                    && FileManager.default.contents(atPath: home + "/" + name)?.range(of: needle) != nil
            }
        }
    }
}
