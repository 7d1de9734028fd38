import AppExtension
import Conduit
import Exchange
import ExtensionHost
import LinuxSystem
import SecretStorage

/// Finds the access groups of programs in the property lists of their bundles. Functions block on the disk.
struct SecretGroups: Sendable {
    let bundles: BundleRegistry
    let data: String

    /// Returns the access groups of an installed extension. If the extension was removed, returns only the group of its
    /// identifier.
    func groups(ofExtension identifier: String) -> AccessGroups {
        let library = ExtensionLibrary(data: data)
        guard let bundle = library.all.first(where: { $0.identifier == identifier }) else {
            return AccessGroups([identifier])
        }
        return AccessGroups(permitted(bundle.secretGroups, for: identifier, library) + [identifier] + bundle.groups)
    }

    /// Returns the access groups of the program at the other end of a connection; empty if it belongs to no registered
    /// bundle.
    func groups(ofProgramAt connection: Connection) -> AccessGroups {
        guard let executable = try? connection.peer.executable().identity,
            let bundle = bundles.bundle(ofExecutable: executable)
        else { return AccessGroups([]) }
        let declared = permitted(bundle.secretGroups, for: bundle.identifier, ExtensionLibrary(data: data))
        return AccessGroups(declared + [bundle.identifier])
    }

    /// Returns the declared groups that a bundle may use. The group of another bundle is excluded, unless the
    /// identifiers show that this bundle is an extension of that bundle.
    private func permitted(_ declared: [String], for identifier: String, _ library: ExtensionLibrary) -> [String] {
        guard !declared.isEmpty else { return [] }
        let known = Set(library.all.map(\.identifier) + bundles.all.map(\.identifier))
        return declared.filter { group in
            group == identifier || identifier.hasPrefix(group + ".") || !known.contains(group)
        }
    }
}
