import Foundation

/// An extension as its `Info.plist` describes it: a folder `Name.appex` with an executable.
package struct ExtensionBundle: Sendable, Equatable {
    /// `CFBundleIdentifier`.
    package let identifier: String
    /// `CFBundleDisplayName`, else `CFBundleName`, else the folder's name.
    package let name: String
    /// The folder, with no symbolic link in it.
    package let path: String
    /// The path of the executable file.
    package let executable: String
    /// `NSExtensionPointIdentifier`: what kind of extension it is.
    package let point: String
    /// `NSExtensionPrincipalClass`.
    package let principalClass: String
    /// `NSExtensionActivationRule`; `nil` when there is none, which fits nothing.
    package let activationRule: ActivationRule?
    /// Whether it asked to use the internet (``networkKey``).
    package let usesNetwork: Bool
    /// Whether it shows windows of its own (``windowsKey``).
    package let showsWindows: Bool
    /// Bytes of private memory it may take (``memoryKey``).
    package let memoryLimit: Int
    /// Seconds it may take for one request (``timeKey``).
    package let timeLimit: Int
    /// Whether its file provider takes symbolic links as what they are (``linksKey``); `nil` where it does not say.
    package let importsSymbolicLinks: Bool?
    /// Whether its file provider says so when the service has other contents than a change began with (``conflictKey``).
    package let failsUploadsOnConflict: Bool
    /// What people can have done with items of the file provider.
    package let actions: [ExtensionAction]
    /// What is wrong with further actions, one sentence each. The extension can be used without them.
    package let actionFaults: [String]
    /// The identifier of the file provider that this is the user interface of (``providerKey``), if its property list says.
    package let namedProvider: String?

    /// What a file provider's domains can be told of when they are added, each with what it is for (``settingsKey``); `nil` where
    /// it does not say: a folder then, and nothing else.
    package let domainSettings: [String: String]?
    /// The settings that a domain can do without: in the list, a question mark follows their names.
    package let optionalSettings: Set<String>

    /// The groups whose folders and values it shares with other programs; see ``AppGroup``.
    package let groups: [String]

    /// In `NSExtension`: true where the extension needs the internet.
    package static let networkKey = "PurveyAllowsNetwork"
    /// In `NSExtension`: true where the user interface of a file provider shows windows, and so needs the display.
    package static let windowsKey = "PurveyShowsWindows"
    /// In `NSExtension`: mebibytes of memory, when the standard limit does not do.
    package static let memoryKey = "PurveyMemoryLimit"
    /// In `NSExtension`: seconds for a request, when the standard limit does not do.
    package static let timeKey = "PurveyTimeLimit"
    /// In `NSExtension`: false where a file provider takes no symbolic links, so that none are made in its domains; true where
    /// `importDocument` may be given one.
    package static let linksKey = "PurveyImportsSymbolicLinks"
    /// In `NSExtension`, Apple's: true where a replicated file provider knows the option `failOnConflict`.
    package static let conflictKey = "NSExtensionFileProviderSupportsFailingUploadOnConflict"
    /// In `NSExtension`: the identifier of the file provider that this is the user interface of. Without it, that is the one whose
    /// identifier differs in nothing but what follows the last dot.
    package static let providerKey = "PurveyFileProvider"

    /// In `NSExtension`: a dictionary of what the `userInfo` of a file provider's domain can have, each with a text for people.
    package static let settingsKey = "PurveyDomainSettings"

    /// Mebibytes and seconds that an extension may ask for, and what it gets when it does not ask.
    static let memoryRange = 16...4096
    static let standardMemory = 512
    static let timeRange = 1...600
    static let standardTime = 30
}

extension ExtensionBundle {
    /// ``principalClass`` with the module's name in the place of the build variable that Xcode's templates have there.
    package var plainPrincipalClass: String {
        let name = (executable as NSString).lastPathComponent
        return principalClass.replacingOccurrences(
            of: PrincipalClass.moduleVariable, with: PrincipalClass.module(of: name))
    }

    /// The extension that a program belongs to.
    ///
    /// - Throws: ``ExtensionFault`` with everything that is wrong with it.
    package init(ofExecutable path: String) throws(ExtensionFault) {
        let inspection = ExtensionInspection(path: (path as NSString).deletingLastPathComponent)
        guard let bundle = inspection.bundle else {
            throw ExtensionFault(inspection.faults.joined(separator: "; "))
        }
        self = bundle
    }

    /// `NSExtensionPointIdentifier` of file providers.
    package static let providerPoint = "com.apple.fileprovider-nonui"
    /// `NSExtensionPointIdentifier` of the user interfaces of file providers.
    package static let providerInterfacePoint = "com.apple.fileprovider-actionsui"

    /// Whether this is the user interface of a file provider.
    package func isInterface(of provider: ExtensionBundle) -> Bool {
        guard point == Self.providerInterfacePoint else { return false }
        if let namedProvider { return namedProvider == provider.identifier }
        return Self.program(of: identifier) == Self.program(of: provider.identifier)
    }

    /// The identifier of the program that an extension belongs to.
    private static func program(of identifier: String) -> Substring? {
        identifier.lastIndex(of: ".").map { identifier[..<$0] }
    }

    /// Whether the extension is to be offered for these items.
    package func accepts(_ items: [ActivationRule.Item]) -> Bool { activationRule?.accepts(items) ?? false }
}
