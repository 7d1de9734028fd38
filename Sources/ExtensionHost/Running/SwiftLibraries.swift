import Foundation
import Glibc
import LinuxSystem

/// Finds the Swift libraries that an extension is linked with. The libraries are usually outside the system's
/// directories.
package struct SwiftLibraries: Sendable {
    /// The directories of the Swift libraries that this process has loaded. The array is empty if this program is
    /// linked statically with them, like the programs that `make install` installs.
    package static let ofThisProcess: [String] = {
        var folders: Set<String> = []
        for line in SystemFile.text("/proc/self/maps").split(separator: "\n") where line.contains("/libswift") {
            guard let start = line.firstIndex(of: "/") else { continue }
            folders.insert((String(line[start...]) as NSString).deletingLastPathComponent)
        }
        return folders.sorted()
    }()

    /// The user's home directories: the one in the environment, which Foundation ignores in some processes, and the one
    /// in the user database.
    package static var homesOfThisUser: [String] {
        [getenv("HOME").map { String(cString: $0) }, NSHomeDirectory()].compactMap(\.self)
    }

    /// The name of the core library, which every directory of Swift libraries contains.
    private static let mark = "libswiftCore.so"
    /// The maximum number of libraries in a directory. A Swift toolchain has 29.
    private static let mostFiles = 512
    /// The maximum number of directories in a program's search path. Each directory costs a disk access. A program
    /// usually names two.
    private static let mostFolders = 16

    /// The directories that the extension can access in any case, with everything beneath them.
    private let reachable: [String]
    /// The directories whose libraries are not made accessible: the home directories themselves, and their ancestors.
    private let forbidden: Set<String>
    /// The directory of Purvey's data. Libraries beneath it are not made accessible, because it contains the containers
    /// of other extensions.
    private let data: String

    /// Creates a value that finds the libraries of programs.
    ///
    /// - Parameters:
    ///   - reachable: Directories that the extension can access, with everything beneath them.
    ///   - data: The directory of Purvey's data for this user.
    ///   - homes: The user's home directories.
    package init(reachable: [String], data: String, homes: [String] = Self.homesOfThisUser) {
        self.reachable = reachable
        self.data = Self.canonical(data) ?? data
        var forbidden: Set<String> = ["/"]
        for home in homes {
            var folder = Self.canonical(home) ?? home
            while folder.hasPrefix("/"), folder != "/" {
                forbidden.insert(folder)
                folder = (folder as NSString).deletingLastPathComponent
            }
        }
        self.forbidden = forbidden
    }

    /// Returns the paths of the library files in the directories of the program's library search path. Directories that
    /// do not contain Swift's libraries are left out. Blocks on the file system.
    ///
    /// The search path is part of the program, whose author may have named any directory. Therefore a directory is used
    /// only if it contains Swift's core library, and only regular files with names of libraries are returned. Symbolic
    /// links and subdirectories are left out.
    package func files(of program: String) -> [String] {
        guard let file = try? FileDescriptor.open(program, [.readOnly, .nonBlocking]),
            let named = try? ProgramFile(file).librarySearchPath()
        else { return [] }
        var folders: [String] = []
        // A directory relative to the program (`$ORIGIN`) is in its bundle, which the extension can access.
        for name in named.prefix(Self.mostFolders) where name.hasPrefix("/") && !name.contains("$") {
            guard let folder = Self.canonical(name), !folders.contains(folder), isAllowed(folder) else { continue }
            folders.append(folder)
        }
        return folders.flatMap(Self.libraries)
    }

    private func isAllowed(_ folder: String) -> Bool {
        func isWithin(_ other: String) -> Bool { folder == other || folder.hasPrefix(other + "/") }
        return !forbidden.contains(folder) && !isWithin(data) && !reachable.contains(where: isWithin)
    }

    private static func libraries(in folder: String) -> [String] {
        guard let directory = try? FileDescriptor.open(folder, [.readOnly, .directory, .noFollow]),
            (try? directory.status(of: mark))?.kind == .regular, let entries = try? directory.entries()
        else { return [] }
        let names = entries.map(\.name).filter { name in
            isLibrary(name.description) && (try? directory.status(of: name))?.kind == .regular
        }
        return names.prefix(mostFiles).map { folder + "/" + $0.description }.sorted()
    }

    /// Whether a file's name is that of a library, such as `libName.so` or `libName.so.5`.
    private static func isLibrary(_ name: String) -> Bool {
        name.hasPrefix("lib") && (name.hasSuffix(".so") || name.contains(".so."))
    }

    private static func canonical(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
