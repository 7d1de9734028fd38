import Foundation
import LinuxSystem

/// A service in a separate process, for one test, and the directory that a domain of its provider uses.
package final class StartedCloud: Sendable {
    /// The path of the directory, for the domain's setting `path`.
    package let folder: String
    package let control: CloudControl
    private let process: ChildProgram

    /// Starts the service. Blocks until it accepts connections.
    ///
    /// - Parameters:
    ///   - program: The path of the built ``ScriptableProvider``.
    ///   - folder: The directory to create; its path has to be short enough for a socket in it.
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

    /// Ends the service. Blocks.
    package func end() {
        // The service may have ended before.
        try? control.stop()
        _ = try? process.wait()
    }

    /// The model of the extension, and the form of the service's identifiers.
    package enum Model: String, CaseIterable, Sendable {
        /// The provider stores its files itself.
        case documents
        /// The system stores the provider's files.
        case replica
        /// The same as ``documents``, with paths as identifiers.
        case documentPaths = "document-paths"
        /// The same as ``replica``, with paths as identifiers.
        case replicaPaths = "replica-paths"

        package var isReplica: Bool { self == .replica || self == .replicaPaths }
        package var identifiersArePaths: Bool { self == .documentPaths || self == .replicaPaths }
    }

    /// The identifier of the provider that ``makeBundle(at:program:)`` makes.
    package static let providerIdentifier = "org.example.scriptable-provider"

    /// Creates the bundle of the provider's user interface, to be installed as a link.
    ///
    /// - Parameters:
    ///   - path: The directory to create, whose name ends with `.appex`.
    ///   - program: The path of the built ``ScriptableProvider``.
    ///   - timeLimit: The number of seconds that the extension may run without a request to the user.
    ///   - showsWindows: Whether the extension gets access to a display.
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

    /// Returns an action in the form of a property list.
    package static func action(_ identifier: String, _ name: String, rule: String) -> [String: String] {
        let prefix = "NSExtensionFileProviderAction"
        return [prefix + "Identifier": identifier, prefix + "Name": name, prefix + "ActivationRule": rule]
    }

    /// Actions for any item, and one action only for drafts that are not in a locked directory.
    package static let standardActions = [
        action("org.example.publish", "Publish", rule: publishRule),
        action("org.example.touch", "Touch", rule: "TRUEPREDICATE"),
        action("org.example.crash", "Crash", rule: "fileproviderItems.@count > 0"),
        action("org.example.cancel", "Work", rule: "TRUEPREDICATE"),
    ]

    /// Actions with a reply. Two of them ask the user for a text.
    package static let replyingActions = [
        action("org.example.versions", "Show Versions", rule: "TRUEPREDICATE")
            .merging(["PurveyActionTopic": "versions"]) { $1 },
        action("org.example.restore", "Restore Version", rule: "TRUEPREDICATE")
            .merging(["PurveyActionTopic": "versions", "PurveyActionInput": "the day of the version"]) { $1 },
        action("org.example.greet", "Greet", rule: "TRUEPREDICATE")
            .merging(["PurveyActionInput": "a name"]) { $1 },
    ]

    private static let publishRule = """
        SUBQUERY(fileproviderItems, $item, $item.userInfo.draft == YES
            AND $item.userInfo."org.example.locked.inherited" != YES).@count == fileproviderItems.@count
        """

    /// The keys of the provider's property list that only some tests set.
    package struct Keys: Sendable {
        /// Whether the provider waits for changes while it performs a change.
        package var waits: Bool
        /// The value of `PurveyAllowsNetwork`.
        package var allowsNetwork: Bool
        /// The value of `PurveyImportsSymbolicLinks`; `nil` for none.
        package var importsLinks: Bool?

        package init(waits: Bool = false, allowsNetwork: Bool = true, importsLinks: Bool? = true) {
            self.waits = waits
            self.allowsNetwork = allowsNetwork
            self.importsLinks = importsLinks
        }
    }

    /// Creates the bundle of the provider, to be installed as a link.
    ///
    /// - Parameters:
    ///   - path: The directory to create, whose name ends with `.appex`.
    ///   - program: The path of the built ``ScriptableProvider``.
    ///   - memory: The memory limit in mebibytes.
    ///   - answerTime: The number of seconds within which the provider must reply.
    ///   - actions: The actions in the form of a property list.
    ///   - replies: Whether the actions reply to the user.
    ///   - keys: Further keys of the property list.
    package static func makeBundle(
        at path: String, program: String, model: Model = .documents, memory: Int = 256, answerTime: Int = 30,
        actions: [[String: String]] = standardActions, replies: Bool = false, keys: Keys = Keys()
    ) throws {
        let kind = model.isReplica ? "Replica" : replies ? "Replier" : "Provider"
        var described: [String: Any] = [
            "NSExtensionPointIdentifier": "com.apple.fileprovider-nonui",
            "NSExtensionPrincipalClass": "$(PRODUCT_MODULE_NAME)." + (keys.waits ? "Waiting" : "Scriptable") + kind,
            "NSExtensionFileProviderActions": actions, "NSFileProviderUserInteractions": standardInteractions,
            "PurveyDomainSettings": ["path": "the service's folder", "sends?": "when: behind is after it was taken"],
            "PurveyMemoryLimit": memory, "PurveyTimeLimit": answerTime, "PurveyAllowsNetwork": keys.allowsNetwork,
        ]
        described["PurveyImportsSymbolicLinks"] = keys.importsLinks
        try makeBundle(
            at: path, program: program,
            list: [
                "CFBundleIdentifier": providerIdentifier, "CFBundleName": "Scriptable",
                "CFBundleExecutable": "ScriptableProvider", "NSExtension": described,
            ])
    }

    private static func makeBundle(at path: String, program: String, list: [String: Any]) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: path + "/Info.plist"))
        // Another process copies the program: a file that this process has open for writing cannot be executed while
        // any fork has the descriptor. An existing program may still be running, and is therefore removed first.
        let copy = try ChildProgram.start(
            "/bin/cp", arguments: ["--remove-destination", program, path + "/ScriptableProvider"], descriptors: [])
        guard try copy.wait() == .exited(0) else {
            throw CloudControl.Refused(description: "\(program) cannot be copied")
        }
    }
}
