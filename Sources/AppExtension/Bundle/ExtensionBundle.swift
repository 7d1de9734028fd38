import Foundation
import LinuxSystem

/// The description of an extension from its `Info.plist`. An extension is a directory `Name.appex` with an executable.
package struct ExtensionBundle: Sendable, Equatable {
    /// The value of `CFBundleIdentifier`.
    package let identifier: String
    /// The value of `CFBundleDisplayName`. If it is missing, the value of `CFBundleName`, or the name of the directory.
    package let name: String
    /// The directory, without symbolic links in its path.
    package let path: String
    /// The path of the executable file.
    package let executable: String
    /// The value of `NSExtensionPointIdentifier`, the kind of extension.
    package let point: String
    /// The value of `NSExtensionPrincipalClass`.
    package let principalClass: String
    /// The value of `NSExtensionActivationRule`; `nil` if it is missing. In this case the extension is never offered.
    package let activationRule: ActivationRule?
    /// Whether the extension requests access to the network (``networkKey``).
    package let usesNetwork: Bool
    /// Whether the file provider itself watches its service for changes (``watchesKey``).
    package let watchesService: Bool
    /// Whether the extension shows its own windows (``windowsKey``).
    package let showsWindows: Bool
    /// The limit of the extension's memory in bytes (``memoryKey``).
    package let memoryLimit: Int
    /// The time limit for one request in seconds (``timeKey``).
    package let timeLimit: Int
    /// Whether the file provider accepts symbolic links as links (``linksKey``); `nil` if unspecified.
    package let importsSymbolicLinks: Bool?
    /// Whether the file provider fails an upload if the service has other contents than those that the change is based
    /// on (``conflictKey``).
    package let failsUploadsOnConflict: Bool
    /// The numbers of fetches and uploads that the file provider accepts at the same time (``fetchesKey``,
    /// ``uploadsKey``); `nil` if unspecified.
    package let fetchLimit: Int?
    package let uploadLimit: Int?
    /// The actions that the user can run on items of the file provider.
    package let actions: [ExtensionAction]
    /// Sentences that describe the faults of invalid actions. The extension can be used without these actions.
    package let actionFaults: [String]
    /// The interactions with the user that the file provider requires before operations.
    package let interactions: [UserInteraction]
    /// Sentences that describe the faults of invalid interactions. The extension can be used without these
    /// interactions.
    package let interactionFaults: [String]
    /// The identifier of the file provider whose user interface this is (``providerKey``), if specified.
    package let namedProvider: String?

    /// The names of the settings that the user gives to add a domain, each with a description (``settingsKey``). If
    /// `nil`, a domain can be added only for a local directory.
    package let domainSettings: [String: String]?
    /// The settings that a domain does not require. In the property list, their names end with a question mark.
    package let optionalSettings: Set<String>

    /// The groups whose directories and user defaults the extension shares with other programs; see ``AppGroup``.
    package let groups: [String]
    /// The access groups of stored passwords that the extension declares (``secretGroupsKey``), in addition to its own
    /// access group.
    package let secretGroups: [String]
    /// The file provider's name in commands (``shortNameKey``), if it has one.
    package let shortName: String?

    /// A key in `NSExtension`: true if the extension needs the network.
    package static let networkKey = "PurveyAllowsNetwork"
    /// A key in `NSExtension`: true if a file provider watches its service for changes. The daemon then keeps the
    /// provider's process running.
    package static let watchesKey = "PurveyWatchesService"
    /// A key in `NSExtension`: true if the user interface of a file provider shows windows, for which it needs the
    /// display.
    package static let windowsKey = "PurveyShowsWindows"
    /// A key in `NSExtension`: the memory limit in mebibytes, if the standard limit does not suffice.
    package static let memoryKey = "PurveyMemoryLimit"
    /// A key in `NSExtension`: the time limit for a request in seconds, if the standard limit does not suffice.
    package static let timeKey = "PurveyTimeLimit"
    /// A key in `NSExtension`: false if a file provider does not accept symbolic links, so that none can be created in
    /// its domains; true if `importDocument` accepts a symbolic link.
    package static let linksKey = "PurveyImportsSymbolicLinks"
    /// Apple's key in `NSExtension`: true if a replicated file provider supports the option `failOnConflict`.
    package static let conflictKey = "NSExtensionFileProviderSupportsFailingUploadOnConflict"
    /// Apple's keys in `NSExtension`: the maximum numbers of concurrent fetches and uploads.
    package static let fetchesKey = "NSExtensionFileProviderDownloadPipelineDepth"
    package static let uploadsKey = "NSExtensionFileProviderUploadPipelineDepth"
    /// A key in `NSExtension`: the identifier of the file provider to which this user interface belongs. By default,
    /// the user interface belongs to the provider whose identifier differs only in the part after the last dot.
    package static let providerKey = "PurveyFileProvider"

    /// A key in `NSExtension`: a dictionary of the possible entries of a domain's `userInfo`, each with a description
    /// for the user.
    package static let settingsKey = "PurveyDomainSettings"

    /// A key in `NSExtension`: a short name of the file provider for commands, such as `webdav`.
    package static let shortNameKey = "PurveyShortName"
    /// A key beside `NSExtension`, an array: the access groups of stored passwords that the extension shares with other
    /// programs. The name is that of Apple's entitlement.
    package static let secretGroupsKey = "keychain-access-groups"

    /// The permitted ranges and the default values of the memory limit in mebibytes, the time limit in seconds, and the
    /// numbers of concurrent transfers.
    static let memoryRange = 16...4096
    static let standardMemory = 512
    static let timeRange = 1...600
    static let pipelineRange = 1...128
    static let standardTime = 30
}

extension ExtensionBundle {
    /// The ``principalClass``, in which the module's name replaces the build variable that Xcode's templates use.
    package var plainPrincipalClass: String {
        let name = (executable as NSString).lastPathComponent
        return principalClass.replacingOccurrences(
            of: PrincipalClass.moduleVariable, with: PrincipalClass.module(of: name))
    }

    /// Reads the extension that an executable belongs to.
    ///
    /// - Throws: ``ExtensionBundleError`` with all faults of the extension.
    package init(ofExecutable path: String) throws(ExtensionBundleError) {
        let inspection = ExtensionInspection(path: (path as NSString).deletingLastPathComponent)
        guard let bundle = inspection.bundle else {
            throw ExtensionBundleError(inspection.faults.joined(separator: "; "))
        }
        self = bundle
    }

    /// The `NSExtensionPointIdentifier` of file providers.
    package static let providerPoint = "com.apple.fileprovider-nonui"
    /// The `NSExtensionPointIdentifier` of the user interfaces of file providers.
    package static let providerInterfacePoint = "com.apple.fileprovider-actionsui"

    /// Sentences that describe faults which do not prevent the use of the extension.
    package var minorFaults: [String] { actionFaults + interactionFaults }

    /// Whether the extension is a file provider, or the user interface of one. All of Apple's extension points for them
    /// begin with the same prefix.
    package var isOfFileProvider: Bool { point.hasPrefix("com.apple.fileprovider") }

    /// Whether this is the user interface of the given file provider.
    package func isInterface(of provider: ExtensionBundle) -> Bool {
        guard point == Self.providerInterfacePoint else { return false }
        if let namedProvider { return namedProvider == provider.identifier }
        guard let program = Self.program(of: identifier) else { return false }
        return program == Self.program(of: provider.identifier)
    }

    /// Returns the identifier of the program to which the extension with the given identifier belongs; `nil` if the
    /// identifier names no program.
    private static func program(of identifier: String) -> Substring? {
        identifier.lastIndex(of: ".").map { identifier[..<$0] }
    }

    /// Whether to offer the extension for these items.
    package func accepts(_ items: [ActivationRule.Item]) -> Bool { activationRule?.accepts(items) ?? false }
}

/// The reason why a program cannot serve as an extension, in words for the user.
package struct ExtensionBundleError: Error, Equatable, Sendable, CustomStringConvertible, LocalizedError {
    package let description: String

    package init(_ description: String) { self.description = description }

    package var errorDescription: String? { description }
}

/// The kinds of extensions that are supported.
package enum ExtensionPoint {
    /// The supported values of `NSExtensionPointIdentifier`.
    package static let served = [
        "com.apple.share-services", "com.apple.ui-services", ExtensionBundle.providerPoint,
        ExtensionBundle.providerInterfacePoint,
    ]

    /// Returns a sentence about the fault of an extension point; `nil` if the extension point is valid.
    package static func fault(of point: String) -> String? {
        guard !served.contains(point) else { return nil }
        let complaint = SpellingSuggestion.sentence(
            "NSExtensionPointIdentifier \"\(point)\" is not a kind of extension that Purvey serves", about: point,
            known: served)
        return complaint + "; there are " + served.joined(separator: ", ")
    }
}
