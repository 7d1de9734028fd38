import Foundation
import Glibc
import PropertyLists

/// The type declarations of the bundles that are registered with the daemon. The daemon writes a directory of property
/// lists, the records, one for each bundle.
///
/// A record has the keys Identifier, Path, Executable and Team, which other modules use, and the two arrays of type
/// declarations of the bundle's `Info.plist`.
package struct BundleRecords {
    /// Declarations of the bundle whose executable this process runs.
    private(set) var own: [TypeDeclaration] = []
    /// Declarations of the other bundles, in order of their records' names.
    private(set) var others: [TypeDeclaration] = []
    private(set) var faults: [DeclarationError] = []

    /// The maximum number of bytes of a record. A larger record is not read, so the daemon must not write one. Real
    /// records have a few kilobytes.
    package static let largestRecord = 4 << 20

    /// A stamp of the directory. It changes whenever a record is added, replaced or removed.
    struct Stamp: Equatable {
        var device: UInt
        var inode: UInt
        var seconds: Int
        var nanoseconds: Int

        /// Whether the directory was changed so recently that another change could leave the same modification time.
        var isFresh: Bool {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            return abs(now.tv_sec - seconds) <= 1
        }
    }

    /// Creates empty records with the reason why they are empty.
    init(fault: DeclarationError) {
        faults = [fault]
    }

    /// Returns `$PURVEY_HOME/data/bundles`, else `$XDG_DATA_HOME/purvey/bundles`, else
    /// `~/.local/share/purvey/bundles`.
    ///
    /// - Throws: a fault if `PURVEY_HOME` is not an absolute path. The daemon refuses it as well, because a relative
    ///   path would mean another directory in each working directory.
    package static func folder() throws(DeclarationError) -> String {
        func variable(_ name: String) -> String? {
            guard let value = getenv(name) else { return nil }
            let text = String(cString: value)
            return text.isEmpty ? nil : text
        }
        if let home = variable("PURVEY_HOME") {
            guard home.hasPrefix("/") else {
                throw DeclarationError(source: "PURVEY_HOME", reason: "'\(home)' has to be an absolute path")
            }
            return home + "/data/bundles"
        }
        // According to the XDG Base Directory Specification, a path that is not absolute is invalid and ignored.
        if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") {
            return data + "/purvey/bundles"
        }
        return (variable("HOME") ?? NSHomeDirectory()) + "/.local/share/purvey/bundles"
    }

    /// Returns the directory's stamp; nil if it does not exist.
    static func stamp(of folder: String) -> Stamp? {
        var status = stat()
        guard stat(folder, &status) == 0 else { return nil }
        return Stamp(
            device: status.st_dev, inode: status.st_ino, seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }

    /// Reads every record in `folder`. Unreadable records are left out and listed in ``faults``.
    init(folder: String) {
        guard let directory = opendir(folder) else {
            // A missing directory is not a fault: no bundle was ever registered.
            if errno != ENOENT {
                faults.append(DeclarationError(source: folder, reason: String(cString: strerror(errno))))
            }
            return
        }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            // A name that starts with a dot is a record being written.
            if name.hasSuffix(".plist"), !name.hasPrefix(".") {
                names.append(name)
            }
        }
        closedir(directory)
        guard !names.isEmpty else { return }

        let executable = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        for name in names.sorted() {
            read(folder + "/" + name, executable: executable)
        }
    }

    private mutating func read(_ path: String, executable: String?) {
        do throws(DeclarationError) {
            let record = try Self.propertyList(path)
            let bundle = (record["Path"] as? String).map { URL(fileURLWithPath: $0, isDirectory: true) }
            let (declarations, faults) = TypeDeclaration.declarations(in: record, source: path, bundle: bundle)
            self.faults += faults
            if let executable, record["Executable"] as? String == executable {
                own += declarations
            } else {
                others += declarations
            }
        } catch {
            faults.append(error)
        }
    }

    private static func propertyList(_ path: String) throws(DeclarationError) -> [String: Any] {
        let data: [UInt8]
        do throws(FileContents.FileContentsError) {
            data = try FileContents.read(path, atMost: largestRecord + 1)
        } catch {
            throw DeclarationError(source: path, reason: error.reason)
        }
        guard data.count <= largestRecord else {
            throw DeclarationError(source: path, reason: "larger than \(largestRecord) bytes")
        }
        let list: Any
        do {
            list = try ForeignPropertyList.read(Data(data))
        } catch {
            throw DeclarationError(source: path, reason: "not a property list (\(error.localizedDescription))")
        }
        guard let dictionary = list as? [String: Any] else {
            throw DeclarationError(source: path, reason: "not a dictionary")
        }
        return dictionary
    }
}
