import Foundation
import LinuxSystem

/// A service in a process of its own, for one test, and the folder that is handed to a domain of its provider.
package final class StartedCloud: Sendable {
    /// The folder to hand to the domain, as `path`.
    package let folder: String
    package let control: CloudControl
    private let process: ChildProgram

    /// Starts the service. Blocks until it can be asked.
    ///
    /// - Parameters:
    ///   - program: the built ``ScriptableProvider``.
    ///   - folder: made; its path is short enough for a socket in it.
    package init(program: String, folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        self.folder = folder
        control = CloudControl(folder: folder)
        process = try ChildProgram.start(program, arguments: ["serve", folder], descriptors: [])
        for _ in 0..<30_000 {
            if FileManager.default.fileExists(atPath: CloudService.portFile(in: folder)) { return }
            Thread.sleep(forTimeInterval: 0.01)
        }
        throw CloudControl.Refused(description: "the service does not start")
    }

    /// Ends it. Blocks.
    package func end() {
        // It may have ended before.
        try? control.stop()
        _ = try? process.wait()
    }

    /// The identifier of the provider that ``makeBundle(at:program:)`` makes.
    package static let providerIdentifier = "org.example.scriptable-provider"

    /// Makes the bundle of the provider, to be installed as a link.
    ///
    /// - Parameters:
    ///   - path: the folder to make, whose name ends with `.appex`.
    ///   - program: the built ``ScriptableProvider``.
    ///   - memory: mebibytes.
    ///   - answerTime: the seconds that it may take for a question.
    package static func makeBundle(
        at path: String, program: String, memory: Int = 256, answerTime: Int = 30
    ) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let list: [String: Any] = [
            "CFBundleIdentifier": providerIdentifier, "CFBundleName": "Scriptable",
            "CFBundleExecutable": "ScriptableProvider",
            "NSExtension": [
                "NSExtensionPointIdentifier": "com.apple.fileprovider-nonui",
                "NSExtensionPrincipalClass": "$(PRODUCT_MODULE_NAME).ScriptableProvider",
                "PurveyDomainSettings": [
                    "path": "the service's folder", "sends": "when: behind is after it was taken",
                ],
                "PurveyMemoryLimit": memory, "PurveyTimeLimit": answerTime, "PurveyAllowsNetwork": true,
                "PurveyImportsSymbolicLinks": true,
            ] as [String: Any],
        ]
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: path + "/Info.plist"))
        // By another process: a program that this one has open for writing could not be run while any of its forks has it so.
        let copy = try ChildProgram.start(
            "/bin/cp", arguments: [program, path + "/ScriptableProvider"], descriptors: [])
        guard try copy.wait() == .exited(0) else {
            throw CloudControl.Refused(description: "\(program) cannot be copied")
        }
    }
}
