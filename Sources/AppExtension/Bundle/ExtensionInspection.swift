import FileCoordination
import Foundation
import Glibc
import LinuxSystem

/// An inspection of an extension's `Info.plist` that reports all faults at once.
package struct ExtensionInspection {
    /// The extension; `nil` if it has a fault.
    package private(set) var bundle: ExtensionBundle?
    /// Sentences about the faults.
    package private(set) var faults: [String] = []

    /// Inspects a directory. Blocks on the file system.
    package init(path: String) {
        guard let folder = InfoPropertyList.bundleDirectory(at: path, faults: &faults) else { return }
        if !folder.hasSuffix(".appex") { faults.append("the folder's name does not end in .appex") }
        guard let information = InfoPropertyList(path: folder + "/Info.plist", faults: &faults) else { return }
        let list = information.values
        let identifier = information.identifier(faults: &faults)
        let executable = information.string("CFBundleExecutable", faults: &faults).flatMap {
            findExecutable($0, in: folder)
        }
        guard let described = list["NSExtension"] else {
            faults.append("NSExtension is missing: this is not an extension")
            return
        }
        guard let described = described as? [String: Any] else {
            faults.append("NSExtension is not a dictionary")
            return
        }
        let description = InfoPropertyList(described)
        let point = description.string("NSExtensionPointIdentifier", faults: &faults)
        let principal = description.string("NSExtensionPrincipalClass", faults: &faults)
        let rule = activationRule(described)
        let network = flag(ExtensionBundle.networkKey, in: described)
        let watches = flag(ExtensionBundle.watchesKey, in: described)
        let windows = flag(ExtensionBundle.windowsKey, in: described)
        let memory = number(
            ExtensionBundle.memoryKey, in: described, ExtensionBundle.memoryRange, ExtensionBundle.standardMemory)
        let time = number(
            ExtensionBundle.timeKey, in: described, ExtensionBundle.timeRange, ExtensionBundle.standardTime)
        let importsLinks =
            described[ExtensionBundle.linksKey] == nil ? nil : flag(ExtensionBundle.linksKey, in: described)
        let failsOnConflict = flag(ExtensionBundle.conflictKey, in: described)
        let fetches = pipeline(ExtensionBundle.fetchesKey, in: described)
        let uploads = pipeline(ExtensionBundle.uploadsKey, in: described)
        let texts = LocalizedTexts(bundle: folder, development: list["CFBundleDevelopmentRegion"] as? String)
        let actions = ExtensionAction.read(described[ExtensionAction.listKey], localized: texts.text)
        let interactions = UserInteraction.read(described[UserInteraction.listKey], localized: texts.text)
        let provider = described[ExtensionBundle.providerKey].flatMap { _ in
            description.string(ExtensionBundle.providerKey, faults: &faults)
        }
        let settings = domainSettings(described)
        let groups = groups(list)
        let shortName = shortName(described)
        guard faults.isEmpty, let identifier, let executable, let point, let principal else { return }
        let folderName = String((folder as NSString).lastPathComponent.dropLast(".appex".count))
        bundle = ExtensionBundle(
            identifier: identifier,
            name: list["CFBundleDisplayName"] as? String ?? list["CFBundleName"] as? String ?? folderName,
            path: folder, executable: executable, point: point, principalClass: principal, activationRule: rule,
            usesNetwork: network, watchesService: watches, showsWindows: windows, memoryLimit: memory << 20,
            timeLimit: time,
            importsSymbolicLinks: importsLinks, failsUploadsOnConflict: failsOnConflict, fetchLimit: fetches,
            uploadLimit: uploads, actions: actions.actions,
            actionFaults: actions.faults, interactions: interactions.interactions,
            interactionFaults: interactions.faults, namedProvider: provider, domainSettings: settings?.texts,
            optionalSettings: settings?.optional ?? [],
            groups: groups, secretGroups: list[ExtensionBundle.secretGroupsKey] as? [String] ?? [],
            shortName: shortName)
    }

    private mutating func shortName(_ list: [String: Any]) -> String? {
        guard let value = list[ExtensionBundle.shortNameKey] else { return nil }
        guard let name = value as? String, InfoPropertyList.isIdentifier(name), !name.contains(".") else {
            faults.append("\(ExtensionBundle.shortNameKey) may hold only letters, digits and hyphens")
            return nil
        }
        return name
    }

    private mutating func flag(_ key: String, in list: [String: Any]) -> Bool {
        guard let value = list[key] else { return false }
        guard let flag = value as? Bool else {
            faults.append("\(key) is neither true nor false")
            return false
        }
        return flag
    }

    private mutating func number(
        _ key: String, in list: [String: Any], _ range: ClosedRange<Int>, _ standard: Int
    ) -> Int {
        guard let value = list[key] else { return standard }
        guard let number = value as? Int, range.contains(number) else {
            faults.append("\(key) is not a number from \(range.lowerBound) to \(range.upperBound)")
            return standard
        }
        return number
    }

    /// Reads the maximum number of concurrent transfers; `nil` if it is missing.
    private mutating func pipeline(_ key: String, in list: [String: Any]) -> Int? {
        list[key] == nil ? nil : number(key, in: list, ExtensionBundle.pipelineRange, 1)
    }

    private mutating func domainSettings(
        _ list: [String: Any]
    ) -> (texts: [String: String], optional: Set<String>)? {
        guard let value = list[ExtensionBundle.settingsKey] else { return nil }
        guard let settings = value as? [String: String] else {
            faults.append("\(ExtensionBundle.settingsKey) is not a dictionary of texts")
            return nil
        }
        var texts: [String: String] = [:]
        var optional: Set<String> = []
        for (written, text) in settings.sorted(by: { $0.key < $1.key }) {
            let name = written.hasSuffix("?") ? String(written.dropLast()) : written
            if name.isEmpty || name.contains("=") {
                faults.append("\(ExtensionBundle.settingsKey): \"\(written)\" cannot be written as KEY=VALUE")
            }
            texts[name] = text
            if name != written { optional.insert(name) }
        }
        return (texts, optional)
    }

    private mutating func groups(_ list: [String: Any]) -> [String] {
        if let value = list[AppGroup.listKey] {
            if let names = value as? [String] {
                for name in names where !AppGroup.isIdentifier(name) {
                    faults.append("\(AppGroup.listKey): \"\(name)\" may hold only letters, digits, hyphens and dots")
                }
            } else {
                faults.append("\(AppGroup.listKey) is not an array of texts")
            }
        }
        let groups = AppGroup.declared(in: list)
        if groups.count > Self.mostGroups {
            faults.append("\(AppGroup.listKey) has more than \(Self.mostGroups) groups")
        }
        return groups
    }

    /// The maximum number of groups. It is limited because the process gets access to a directory for each group.
    private static let mostGroups = 32

    private mutating func activationRule(_ described: [String: Any]) -> ActivationRule? {
        guard let value = described["NSExtensionAttributes"] else { return nil }
        guard let attributes = value as? [String: Any] else {
            faults.append("NSExtensionAttributes is not a dictionary")
            return nil
        }
        guard let rule = attributes["NSExtensionActivationRule"] else { return nil }
        do {
            return try ActivationRule(rule)
        } catch {
            faults.append("NSExtensionActivationRule: \(error)")
            return nil
        }
    }

    private mutating func findExecutable(_ name: String, in folder: String) -> String? {
        guard !name.hasSlash, name != ".", name != ".." else {
            faults.append("CFBundleExecutable \"\(name)\" has to be the name of a file, without folders")
            return nil
        }
        let path = folder + "/" + name
        // Links are not followed, because a link would let an extension run another program of this user in the
        // extension's confinement.
        guard let status = try? FileStatus.of(path, followingLinks: false) else {
            faults.append("the executable \(path) does not exist")
            return nil
        }
        guard status.kind == .regular, access(path, X_OK) == 0 else {
            faults.append("\(path) is not an executable file")
            return nil
        }
        // The kernel hides the memory use of a process from a user who may not read the executable. The memory limit
        // could then not be enforced.
        guard access(path, R_OK) == 0 else {
            faults.append("the executable \(path) cannot be read, and its memory not watched ('chmod u+r')")
            return nil
        }
        return path
    }
}
