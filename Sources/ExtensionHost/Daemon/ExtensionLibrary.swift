import AppExtension
import Foundation
import Glibc
import LinuxSystem

/// The installed extensions. Each is a directory `IDENTIFIER.appex` with a copy of the extension, or a symbolic link to
/// the extension.
///
/// The extensions that come with Purvey are in `lib/purvey/extensions`, beside the directory of Purvey's programs. An
/// installed extension is used instead of an extension with the same identifier that comes with Purvey.
///
/// All state is on disk, so any process may use the library. Methods block on the file system.
package struct ExtensionLibrary: Sendable {
    private let folder: String
    private let containers: String
    private let shipped: String?

    /// Creates a value that gives access to the library.
    ///
    /// - Parameters:
    ///   - data: The directory of Purvey's data for this user.
    ///   - shipped: The directory of the extensions that come with Purvey; `nil` if there is none.
    package init(data: String, shipped: String? = ExtensionLibrary.besidePrograms) {
        self.shipped = shipped
        folder = data + "/extensions"
        containers = Container.containers(data: data)
    }

    /// The directory in which `make install` puts extensions: `lib/purvey/extensions` beside the `bin` of this
    /// program.
    package static let besidePrograms: String? = {
        guard let own = try? FileDescriptor.open("/proc/self/exe", .pathOnly).path else { return nil }
        let programs = (own as NSString).deletingLastPathComponent
        guard programs.lastPathName == "bin" else { return nil }
        return (programs as NSString).deletingLastPathComponent + "/lib/purvey/extensions"
    }()

    /// An error of the library, described in a sentence.
    package struct LibraryError: Error, CustomStringConvertible {
        package let description: String
    }

    /// The usable extensions, sorted by identifier.
    package var all: [ExtensionBundle] { installed.compactMap(\.bundle).sorted { $0.identifier < $1.identifier } }

    /// The faults of installed extensions that cannot be used, as sentences.
    package var faults: [String] {
        installed.flatMap { entry in entry.faults.map { "\(entry.name): \($0)" } }
    }

    /// Finds the extension whose identifier, short name or name is the given text. They are compared in this order.
    /// Throws an error if no extension matches, or if several extensions have this short name or name.
    package func find(_ text: String) throws(LibraryError) -> ExtensionBundle {
        let installed = installed
        let all = installed.compactMap(\.bundle)
        if let exact = all.first(where: { $0.identifier == text }) { return exact }
        let short = all.filter { $0.shortName == text }
        let named = short.isEmpty ? all.filter { $0.name == text } : short
        guard let first = named.first else {
            if let unusable = installed.first(where: { $0.bundle == nil && $0.name == text + ".appex" }) {
                throw LibraryError(
                    description: "the extension \(text) cannot be used: " + unusable.faults.joined(separator: "; "))
            }
            let known = all.flatMap { [$0.shortName, $0.identifier, $0.name].compactMap(\.self) }
            throw LibraryError(
                description: SpellingSuggestion.sentence(
                    "no extension \"\(text)\" is installed", about: text, known: known))
        }
        guard named.count == 1 else {
            let identifiers = named.map(\.identifier).joined(separator: ", ")
            throw LibraryError(description: "several extensions are called \"\(text)\": \(identifiers)")
        }
        return first
    }

    /// Installs the extension at the given path. Replaces an extension with the same identifier.
    ///
    /// The new extension appears atomically. Running processes of the old extension continue with its files, which they
    /// have open.
    ///
    /// - Parameter link: Whether to install a symbolic link to the directory instead of a copy.
    @discardableResult
    package func install(path: String, link: Bool = false) throws(LibraryError) -> ExtensionBundle {
        let inspection = ExtensionInspection(path: path)
        guard let bundle = inspection.bundle else {
            throw LibraryError(
                description: "the extension cannot be installed: " + inspection.faults.joined(separator: "; "))
        }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let directory = try FileDescriptor.open(folder, [.readOnly, .directory])
            let staged = ".new-" + UUID().uuidString
            if link {
                try retrying { symlinkat(bundle.path, directory.rawValue, staged) }
            } else {
                let source = try FileDescriptor.open(bundle.path, [.readOnly, .directory])
                // The copies get no set-user-ID bits and no unusual permissions, because the author of the bundle must
                // not choose these.
                try TreeCopier.copy(source, into: directory, named: staged, origin: .peer)
            }
            try publish(staged, as: bundle.identifier + ".appex", in: directory)
            return try find(bundle.identifier)
        } catch {
            throw LibraryError(description: "\(bundle.identifier) cannot be installed in \(folder): \(error)")
        }
    }

    /// Removes the extension with the given identifier.
    ///
    /// - Parameter withContainer: Whether to remove the extension's container as well, even if the extension itself was
    ///   removed before. Otherwise, the container stays, because the user may need its contents.
    /// - Returns: Whether the extension was still installed.
    @discardableResult
    package func remove(identifier: String, withContainer: Bool = false) throws(LibraryError) -> Bool {
        let container = withContainer ? container(of: identifier) : nil
        let path = folder + "/" + identifier + ".appex"
        let isInstalled =
            InfoPropertyList.isIdentifier(identifier)
            && (try? FileStatus.of(path, followingLinks: false)) != nil
        guard isInstalled || container != nil else {
            let known = installed.map { ($0.name as NSString).deletingPathExtension }.sorted()
            throw LibraryError(
                description: SpellingSuggestion.sentence(
                    "no extension \"\(identifier)\" is installed", about: identifier, known: known))
        }
        do {
            if isInstalled { try Self.remove(identifier + ".appex", in: folder) }
            if container != nil { try Self.remove(identifier, in: containers) }
            return isInstalled
        } catch {
            throw LibraryError(description: "\(identifier) cannot be removed: \(error)")
        }
    }

    private static func remove(_ name: String, in folder: String) throws {
        guard let name = FileName(name) else { throw Errno.invalidArgument }
        try TreeRemover.remove(name, in: try FileDescriptor.open(folder, [.readOnly, .directory]))
    }

    /// Returns the path of the container of the extension with the given identifier; `nil` if the container does not
    /// exist.
    package func container(of identifier: String) -> String? {
        guard InfoPropertyList.isIdentifier(identifier) else { return nil }
        let path = containers + "/" + identifier
        return (try? FileStatus.of(path, followingLinks: false)) == nil ? nil : path
    }

    private struct Entry {
        let name: String
        let bundle: ExtensionBundle?
        let faults: [String]
    }

    private var installed: [Entry] {
        let own = entries(in: folder)
        let names = Set(own.map(\.name))
        return own
            + (shipped.map(entries) ?? []).filter { entry in
                !names.contains(entry.bundle.map { $0.identifier + ".appex" } ?? entry.name)
            }
    }

    private func entries(in folder: String) -> [Entry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().filter { $0.hasSuffix(".appex") && !$0.hasPrefix(".") }.map { name in
            let inspection = ExtensionInspection(path: folder + "/" + name)
            var faults = inspection.faults
            // The extension behind a link may have been replaced by another. The user agreed only to the extension
            // whose identifier is the name of the link.
            if folder == self.folder, let bundle = inspection.bundle, bundle.identifier + ".appex" != name {
                faults.append("it has become \(bundle.identifier); install it again")
            }
            return Entry(name: name, bundle: faults.isEmpty ? inspection.bundle : nil, faults: faults)
        }
    }

    private func publish(_ staged: String, as name: String, in directory: FileDescriptor) throws {
        let old = "." + name + "-" + UUID().uuidString
        // A rename cannot replace a directory that is not empty, so the old one is renamed first.
        let hadOld = renameat(directory.rawValue, name, directory.rawValue, old) == 0
        do {
            try retrying { renameat(directory.rawValue, staged, directory.rawValue, name) }
        } catch {
            if hadOld { renameat(directory.rawValue, old, directory.rawValue, name) }
            if let leftover = FileName(staged) { try? TreeRemover.remove(leftover, in: directory) }
            throw error
        }
        if hadOld, let leftover = FileName(old) { try? TreeRemover.remove(leftover, in: directory) }
    }
}
