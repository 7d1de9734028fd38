import AppExtension
import Foundation
import Glibc
import LinuxSystem
import UniformTypeIdentifiers

/// An inspection of a bundle's `Info.plist`. It reports all faults of the bundle at once.
package struct BundleInspection {
    /// The record to register; `nil` if the bundle has a fault.
    package private(set) var record: BundleRecord?
    /// The faults of the bundle, each as a sentence.
    package private(set) var faults: [String] = []

    /// The key in `Info.plist` whose value is the identifier of the bundle's team.
    package static let teamKey = "PurveyTeamIdentifier"

    /// Inspects the bundle at the given path. Its `Info.plist` must be in the bundle's directory, or in the
    /// subdirectory `Contents`. Blocks on the file system.
    package init(path: String) {
        guard let root = InfoPropertyList.bundleDirectory(at: path, faults: &faults) else { return }
        let contents = root + "/Contents"
        let folder = (try? FileStatus.of(contents + "/Info.plist")) == nil ? root : contents
        guard let information = InfoPropertyList(path: folder + "/Info.plist", faults: &faults) else { return }
        let list = information.values

        let identifier = information.identifier(faults: &faults)
        let executable = information.string("CFBundleExecutable", faults: &faults).flatMap {
            findExecutable(named: $0, in: folder, of: root)
        }
        if list[Self.teamKey] != nil, (list[Self.teamKey] as? String)?.isEmpty ?? true {
            faults.append("\(Self.teamKey) is present, but is not a string with characters in it")
        }
        if list[Self.teamKey] != nil, let executable, Self.isScript(executable) {
            faults.append(
                "\(Self.teamKey) has no effect: \(executable) is a script, and its processes run the interpreter, which is not the bundle's"
            )
        }
        // The type registry will read the type declarations in the same way. Declarations that the registry would
        // ignore are reported now, while the caller can correct them.
        faults += TypeDeclaration.declarations(in: list, source: folder + "/Info.plist").faults.map(\.reason)
        guard faults.isEmpty, let identifier, let executable else { return }
        do {
            let declarations = list.filter { $0.key == BundleRecord.exportedKey || $0.key == BundleRecord.importedKey }
            let made = BundleRecord(
                identifier: identifier, path: root, executable: executable, team: list[Self.teamKey] as? String,
                typeDeclarations: try BundleRecord.encode(declarations),
                secretGroups: list[ExtensionBundle.secretGroupsKey] as? [String] ?? [])
            // The size of the record is checked as well. The record can be larger than the bundle's own list, because
            // its format is different.
            let size = try made.propertyList().count
            guard size <= BundleRecords.largestRecord else {
                faults.append(
                    "the type declarations take \(size) bytes to keep; at most \(BundleRecords.largestRecord) are read")
                return
            }
            record = made
        } catch {
            faults.append("the type declarations cannot be kept: \(error)")
        }
    }

    /// Returns the path of the bundle's executable. If the executable is unsuitable, records a fault and returns `nil`.
    /// The executable must be a file in the bundle, because the daemon recognizes the bundle's processes by this file.
    /// The daemon does not recognize the processes of a script, because they run the interpreter.
    private mutating func findExecutable(named name: String, in folder: String, of root: String) -> String? {
        guard !name.hasSlash, name != ".", name != ".." else {
            faults.append("CFBundleExecutable \"\(name)\" has to be the name of a file, without folders")
            return nil
        }
        let candidates = ["", "/Linux", "/MacOS"].map { folder + $0 + "/" + name }
        guard let path = candidates.first(where: { (try? FileStatus.of($0)) != nil }) else {
            faults.append("the executable \(candidates[0]) does not exist")
            return nil
        }
        guard let status = try? FileStatus.of(path), status.kind == .regular, access(path, X_OK) == 0 else {
            faults.append("\(path) is not an executable file")
            return nil
        }
        guard let resolved = realpath(path, nil) else {
            faults.append("\(path): \(Errno.current)")
            return nil
        }
        defer { free(resolved) }
        let executable = String(cString: resolved)
        guard executable.hasPrefix(root + "/") else {
            faults.append("the executable \(path) is a link to \(executable), which is not in the bundle")
            return nil
        }
        return executable
    }

    private static func isScript(_ path: String) -> Bool {
        var start: [UInt8] = [0, 0]
        guard let file = try? FileDescriptor.open(path, [.readOnly, .nonBlocking]),
            let count = try? start.withUnsafeMutableBytes({ try file.read(into: $0) })
        else { return false }
        return count == 2 && start == Array("#!".utf8)
    }
}
