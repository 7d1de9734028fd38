import AppExtension
import DomainMessages
import Exchange
import ExtensionHost
import FileCoordination
import FileProvider
import Foundation
import LinuxSystem
import Sandbox

extension Command {
    static let extensions = Command(
        name: "extensions", summary: "list, install, remove and check extensions",
        usage: [
            "list [--json]", "install [--link] DIR", "remove [--container] [--force] IDENTIFIER", "check DIR",
            "logs [--follow] IDENTIFIER",
        ],
        options: [
            .flag("json", "print JSON"),
            .flag("container", "also remove the extension's container with everything in it"),
            .flag("force", "remove an extension even if domains use it; they fail until it is installed again"),
            .flag("follow", "print new lines as they are added, until interrupted"),
            .flag("link", "install a link to DIR instead of a copy, for work on an extension"),
        ],
        discussion: """
            An extension is a folder Name.appex with an Info.plist and an executable. It runs confined to a folder of
            its own. Keys of its NSExtension dictionary request permissions: \(ExtensionBundle.networkKey) (true) the
            network, \(ExtensionBundle.memoryKey) (MiB) and \(ExtensionBundle.timeKey) (seconds) other limits.
            \(AppGroup.listKey) is an array of the groups whose folder and values the extension shares with its app.

            \(ExtensionBundle.settingsKey) is a file provider's dictionary of the settings KEY=VALUE that its domains
            take (see 'purvey domains'). Each value describes its key. A key that ends with ? is optional. The provider
            reads the settings from its domain's userInfo.

            'install' ends the processes of an older build. 'logs' shows the output and log of the extension's
            processes, and for a crash the message and the calling functions.
            """
    ) { arguments in
        let operands = arguments.operands
        if arguments.has("json"), operands.first != "list" { throw UsageError("--json goes with list") }
        if arguments.has("link"), operands.first != "install" { throw UsageError("--link goes with install") }
        if arguments.has("force"), operands.first != "remove" { throw UsageError("--force goes with remove") }
        if arguments.has("follow"), operands.first != "logs" { throw UsageError("--follow goes with logs") }
        if arguments.has("container"), operands.first != "remove" { throw UsageError("--container goes with remove") }
        let library = ExtensionLibrary(data: try Locations.current().data)
        switch (operands.first, operands.count) {
        case ("list", 1): try listExtensions(library, asJSON: arguments.has("json"))
        case ("install", 2):
            let identifier = try await install(operands[1], link: arguments.has("link"), library)
            try StandardOutput.print(identifier + "\n")
            // In spite of these faults, the rest of the extension can be used.
            for fault in (try? library.find(identifier))?.minorFaults ?? [] {
                StandardError.complain("extensions: \(identifier): \(fault)")
            }
            for missing in Layers.missing { StandardError.complain("extensions: \(missing)") }
        case ("remove", 2):
            if !arguments.has("force") { try await refuseWhileUsed(operands[1]) }
            try await remove(operands[1], withContainer: arguments.has("container"), library)
        case ("logs", 2):
            try await ExtensionLogCommand.run(operands[1], library, follows: arguments.has("follow"))
        case ("check", 2): try await check(operands[1], library)
        case ("install", _), ("check", _): throw UsageError("\(operands[0]) takes one folder")
        case ("remove", _), ("logs", _): throw UsageError("\(operands[0]) takes one extension's identifier")
        case ("list", _): throw UsageError("unexpected argument '\(operands[1])'")
        case (nil, _): throw UsageError("list, install, remove, check or logs is missing")
        case (let word?, _):
            let known = ["list", "install", "remove", "check", "logs"]
            throw UsageError(about: word, "there is no 'extensions \(word)'", known: known, listing: true)
        }
    }

    private static func listExtensions(_ library: ExtensionLibrary, asJSON: Bool) throws {
        let all = library.all
        if asJSON {
            try JSONOutput.print(all.map { ListedExtension($0) })
        } else {
            if all.isEmpty { StandardError.note("no extension is installed") }
            for bundle in all {
                try StandardOutput.print(
                    "\(bundle.identifier)  \(OneLine.text(bundle.name))  \(OneLine.text(bundle.point))\n")
            }
        }
        for fault in library.faults { StandardError.complain("extensions: \(OneLine.text(fault))") }
    }

    private static func install(_ path: String, link: Bool, _ library: ExtensionLibrary) async throws -> String {
        let faults = faults(of: path)
        guard faults.isEmpty else {
            // Faults of the folder begin with its path.
            let reasons = faults.map { $0.hasPrefix(path + ": ") ? String($0.dropFirst(path.count + 2)) : $0 }
            throw CommandError("\(path) cannot be installed: " + OneLine.text(reasons.joined(separator: "; ")))
        }
        let bundle: ExtensionBundle
        do { bundle = try library.install(path: path, link: link) } catch { throw CommandError("\(error)") }
        do {
            _ = try await ExchangeClient.shared.call(RegisterBundleCall(path: bundle.path), attempts: 3)
        } catch {
            // An extension counts as installed only if its types and team are registered.
            _ = try? library.remove(identifier: bundle.identifier)
            throw error
        }
        if bundle.point == ExtensionBundle.providerPoint {
            _ = try await DomainClient.call(RenewProviderCall(provider: bundle.identifier))
        }
        for fault in [ExtensionPoint.fault(of: bundle.point)].compactMap({ $0 }) + bundle.minorFaults {
            StandardError.note(fault)
        }
        return bundle.identifier
    }

    private static func remove(
        _ identifier: String, withContainer: Bool, _ library: ExtensionLibrary
    ) async throws {
        let wasInstalled: Bool
        do {
            wasInstalled = try library.remove(identifier: identifier, withContainer: withContainer)
        } catch {
            throw CommandError("\(error)")
        }
        if wasInstalled { _ = try await ExchangeClient.shared.call(RemoveBundleCall(identifier: identifier)) }
        if let container = library.container(of: identifier) {
            StandardError.complain("extensions: its container stays: \(OneLine.text(container)) (see --container)")
        }
    }

    /// Refuses to remove an extension that has domains. Without the extension, the domains could not work, and their
    /// edits would not be sent.
    private static func refuseWhileUsed(_ identifier: String) async throws {
        let domains = try await DomainClient.call(ListDomainsCall()).domains.filter { $0.provider == identifier }
        guard !domains.isEmpty else { return }
        let names = domains.map { OneLine.text($0.name) }.joined(separator: ", ")
        throw CommandError(
            "\(identifier) is used by \(domains.count == 1 ? "the domain" : "the domains") \(names): remove "
                + "\(domains.count == 1 ? "it" : "them") first ('purvey domains remove'), or use --force")
    }

    /// Prints the faults of a bundle, and the shortcomings of the bundle's provider that were observed in running
    /// domains.
    private static func check(_ path: String, _ library: ExtensionLibrary) async throws {
        let bundle = ExtensionInspection(path: path).bundle
        if let bundle { try await printNotes(about: bundle, library) }
        let faults =
            faults(of: path) + [bundle.flatMap { ExtensionPoint.fault(of: $0.point) }].compactMap { $0 }
            + (bundle?.minorFaults ?? [])
        for fault in faults { try StandardOutput.print(OneLine.text(fault) + "\n") }
        if faults.isEmpty {
            StandardError.note("\(path) has no fault")
        } else {
            throw CommandError("\(path) has \(faults.count == 1 ? "a fault" : "\(faults.count) faults")")
        }
    }

    /// Prints the shortcomings of a bundle's provider that were observed in running domains.
    private static func printNotes(about bundle: ExtensionBundle, _ library: ExtensionLibrary) async throws {
        // The daemon is called only for an installed extension. Other extensions have no domains, and checking them
        // should not start a daemon.
        guard (try? library.find(bundle.identifier)) != nil,
            let domains = try? await DomainClient.call(DomainsStatusCall()).domains
        else { return }
        for activity in domains where activity.domain.provider == bundle.identifier {
            for note in activity.providerNotes {
                let line = "note: in the domain \(activity.domain.name), \(note)"
                try StandardOutput.print(OneLine.text(line) + "\n")
            }
        }
    }

    /// Returns all faults without duplicates, because the checks of bundles and of extensions overlap.
    private static func faults(of path: String) -> [String] {
        var faults = ExtensionInspection(path: path).faults
        for fault in BundleInspection(path: path).faults where !faults.contains(fault) { faults.append(fault) }
        return faults
    }
}

/// An extension in the JSON of `purvey extensions list`.
private struct ListedExtension: Encodable {
    let identifier, name, path, point, principalClass: String
    let network, windows: Bool
    /// The memory limit in bytes, and the time limit in seconds.
    let memoryLimit, timeLimit: Int
    let domainSettings: [String: String]?
    let groups: [String]

    init(_ bundle: ExtensionBundle) {
        (identifier, name, path) = (bundle.identifier, bundle.name, bundle.path)
        (point, principalClass) = (bundle.point, bundle.plainPrincipalClass)
        (network, windows) = (bundle.usesNetwork, bundle.showsWindows)
        (memoryLimit, timeLimit) = (bundle.memoryLimit, bundle.timeLimit)
        domainSettings = bundle.domainSettings
        groups = bundle.groups
    }
}
