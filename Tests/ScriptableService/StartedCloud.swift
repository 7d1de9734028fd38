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

    /// Which of the two kinds of provider the extension is, and what the service's identifiers are.
    package enum Model: String, CaseIterable, Sendable {
        /// It keeps its files itself.
        case documents
        /// The system keeps them.
        case replica
        /// As ``documents``, and identifiers are paths.
        case documentPaths = "document-paths"
        /// As ``replica``, and identifiers are paths.
        case replicaPaths = "replica-paths"

        package var isReplica: Bool { self == .replica || self == .replicaPaths }
        package var identifiersArePaths: Bool { self == .documentPaths || self == .replicaPaths }
    }

    /// The identifier of the provider that ``makeBundle(at:program:)`` makes.
    package static let providerIdentifier = "org.example.scriptable-provider"

    /// Makes the bundle of the provider's user interface, to be installed as a link.
    ///
    /// - Parameters:
    ///   - path: the folder to make, whose name ends with `.appex`.
    ///   - program: the built ``ScriptableProvider``.
    ///   - timeLimit: seconds that it may take when nobody is being asked.
    ///   - showsWindows: whether it is handed a display.
    package static func makeInterfaceBundle(
        at path: String, program: String, timeLimit: Int = 30, showsWindows: Bool = false
    ) throws {
        let actions = ["share", "agree", "crash", "hang", "never", "refuse", "reach"].map { name in
            action("org.example.ui.\(name)", name.capitalized, rule: "fileproviderItems.@count == 1")
        }
        try makeBundle(
            at: path, program: program,
            list: [
                "CFBundleIdentifier": providerIdentifier + "-ui", "CFBundleName": "Scriptable Interface",
                "CFBundleExecutable": "ScriptableProvider",
                "NSExtension": [
                    "NSExtensionPointIdentifier": "com.apple.fileprovider-actionsui",
                    "NSExtensionPrincipalClass": "$(PRODUCT_MODULE_NAME).ScriptableInterface",
                    "NSExtensionFileProviderActions": actions, "PurveyAllowsNetwork": true,
                    "PurveyTimeLimit": timeLimit, "PurveyShowsWindows": showsWindows,
                ] as [String: Any],
            ])
    }

    /// An action as a property list has it.
    package static func action(_ identifier: String, _ name: String, rule: String) -> [String: String] {
        let prefix = "NSExtensionFileProviderAction"
        return [prefix + "Identifier": identifier, prefix + "Name": name, prefix + "ActivationRule": rule]
    }

    /// What the provider does for anything, and one that only drafts that are not locked can have done to them.
    package static let standardActions = [
        action("org.example.publish", "Publish", rule: publishRule),
        action("org.example.touch", "Touch", rule: "TRUEPREDICATE"),
        action("org.example.crash", "Crash", rule: "fileproviderItems.@count > 0"),
        action("org.example.cancel", "Work", rule: "TRUEPREDICATE"),
    ]

    private static let publishRule = """
        SUBQUERY(fileproviderItems, $item, $item.userInfo.draft == YES
            AND $item.userInfo."org.example.locked.inherited" != YES).@count == fileproviderItems.@count
        """

    /// Makes the bundle of the provider, to be installed as a link.
    ///
    /// - Parameters:
    ///   - path: the folder to make, whose name ends with `.appex`.
    ///   - program: the built ``ScriptableProvider``.
    ///   - memory: mebibytes.
    ///   - answerTime: the seconds that it may take for a question.
    ///   - actions: as the property list has them.
    package static func makeBundle(
        at path: String, program: String, model: Model = .documents, memory: Int = 256, answerTime: Int = 30,
        actions: [[String: String]] = standardActions
    ) throws {
        try makeBundle(
            at: path, program: program,
            list: [
                "CFBundleIdentifier": providerIdentifier, "CFBundleName": "Scriptable",
                "CFBundleExecutable": "ScriptableProvider",
                "NSExtension": [
                    "NSExtensionPointIdentifier": "com.apple.fileprovider-nonui",
                    "NSExtensionPrincipalClass":
                        "$(PRODUCT_MODULE_NAME).Scriptable" + (model.isReplica ? "Replica" : "Provider"),
                    "NSExtensionFileProviderActions": actions,
                    "PurveyDomainSettings": [
                        "path": "the service's folder", "sends?": "when: behind is after it was taken",
                    ],
                    "PurveyMemoryLimit": memory, "PurveyTimeLimit": answerTime, "PurveyAllowsNetwork": true,
                    "PurveyImportsSymbolicLinks": true,
                ] as [String: Any],
            ])
    }

    private static func makeBundle(at path: String, program: String, list: [String: Any]) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: path + "/Info.plist"))
        // By another process: a program that this one has open for writing could not be run while any of its forks has it so.
        // One that is there already may still be running.
        let copy = try ChildProgram.start(
            "/bin/cp", arguments: ["--remove-destination", program, path + "/ScriptableProvider"], descriptors: [])
        guard try copy.wait() == .exited(0) else {
            throw CloudControl.Refused(description: "\(program) cannot be copied")
        }
    }
}
