import Foundation
import Glibc
import LinuxSystem
import UniformTypeIdentifiers

/// Reads a bundle's `Info.plist` and says everything that is wrong with it at once.
package struct BundleInspection {
    /// The bundle as it would be registered; `nil` when there is any fault.
    package private(set) var record: BundleRecord?
    /// What is wrong, one sentence each.
    package private(set) var faults: [String] = []

    /// The key of an `Info.plist` that names the team.
    package static let teamKey = "PurveyTeamIdentifier"
    /// Property lists beyond this are not read: an honest one has a few kilobytes.
    private static let largestPropertyList = BundleRecords.largestRecord

    /// Looks at a folder with an `Info.plist`, in itself or in its folder `Contents`. Blocks on the file system.
    package init(path: String) {
        guard let resolved = realpath(path, nil) else {
            faults.append("\(path): \(Errno.current)")
            return
        }
        defer { free(resolved) }
        let root = String(cString: resolved)
        guard (try? FileStatus.of(root))?.kind == .directory else {
            faults.append("\(path) is not a folder")
            return
        }
        let contents = root + "/Contents"
        let folder = (try? FileStatus.of(contents + "/Info.plist")) == nil ? root : contents
        guard let list = readPropertyList(folder + "/Info.plist") else { return }

        let identifier = string("CFBundleIdentifier", in: list)
        if let identifier, !Self.isIdentifier(identifier) {
            faults.append("CFBundleIdentifier \"\(identifier)\" may hold only letters, digits, hyphens and dots")
        }
        let executable = string("CFBundleExecutable", in: list).flatMap {
            findExecutable(named: $0, in: folder, of: root)
        }
        if list[Self.teamKey] != nil, (list[Self.teamKey] as? String)?.isEmpty ?? true {
            faults.append("\(Self.teamKey) is there, but is not a string with characters in it")
        }
        if list[Self.teamKey] != nil, let executable, Self.isScript(executable) {
            faults.append(
                "\(Self.teamKey) has no effect: \(executable) is a script, and its processes run the interpreter, which is not the bundle's"
            )
        }
        // Read as the type registry will read them: what it would leave out is told now, while somebody listens.
        faults += TypeDeclaration.declarations(in: list, source: folder + "/Info.plist").faults.map(\.reason)
        guard faults.isEmpty, let identifier, let executable else { return }
        do {
            let declarations = list.filter { $0.key == BundleRecord.exportedKey || $0.key == BundleRecord.importedKey }
            let made = BundleRecord(
                identifier: identifier, path: root, executable: executable, team: list[Self.teamKey] as? String,
                typeDeclarations: try BundleRecord.encode(declarations))
            // A record is in another form than the bundle's own list, and can be the larger of the two.
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

    private mutating func readPropertyList(_ path: String) -> [String: Any]? {
        do {
            // Non-blocking, so that a named pipe in the place of the file holds nobody up.
            let file = try FileDescriptor.open(path, [.readOnly, .nonBlocking])
            let status = try file.status()
            guard status.kind == .regular else {
                faults.append("\(path) is not a file")
                return nil
            }
            guard status.size <= Self.largestPropertyList else {
                faults.append("\(path) has \(status.size) bytes; at most \(Self.largestPropertyList) are read")
                return nil
            }
            let bytes = try file.readToEnd(limit: Self.largestPropertyList)
            guard let list = BundleRecord.dictionary(Data(bytes)) else {
                faults.append("\(path) is not a property list with a dictionary at its root")
                return nil
            }
            return list
        } catch {
            faults.append("\(path): \(error)")
            return nil
        }
    }

    private mutating func string(_ key: String, in list: [String: Any]) -> String? {
        guard let value = list[key] else {
            faults.append("\(key) is missing")
            return nil
        }
        guard let text = value as? String, !text.isEmpty else {
            faults.append("\(key) is not a string with characters in it")
            return nil
        }
        return text
    }

    /// The executable is how the bundle's processes are known: a file of the bundle's own that they run themselves.
    private mutating func findExecutable(named name: String, in folder: String, of root: String) -> String? {
        guard !name.contains("/"), name != ".", name != ".." else {
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

    /// A bundle identifier becomes a file name, so it may hold nothing that has a meaning in a path.
    package static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "."), text.utf8.count <= 200 else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
