import Foundation
import Glibc
import LinuxSystem

/// Where the language's libraries lie that an extension is linked with: outside of the system's folders, as a rule.
package struct SwiftLibraries: Sendable {
    /// The folders of those that this process itself has loaded. There are none in one that has them inside of its
    /// program, as what `make install` installs.
    package static let ofThisProcess: [String] = {
        var folders: Set<String> = []
        for line in SystemFile.text("/proc/self/maps").split(separator: "\n") where line.contains("/libswift") {
            guard let start = line.firstIndex(of: "/") else { continue }
            folders.insert((String(line[start...]) as NSString).deletingLastPathComponent)
        }
        return folders.sorted()
    }()

    /// The home folder that the environment names, which Foundation does not believe of every process, and that of the user
    /// database.
    package static var homesOfThisUser: [String] {
        [getenv("HOME").map { String(cString: $0) }, NSHomeDirectory()].compactMap(\.self)
    }

    /// What a folder of the language's libraries has in it.
    private static let mark = "libswiftCore.so"
    /// A toolchain has 29.
    private static let mostFiles = 512
    /// A program says two; each costs a look at the disk.
    private static let mostFolders = 16

    /// Folders that may be reached already, and those beneath them.
    private let reachable: [String]
    /// Folders of which nothing is given away: the home folder, and what holds it.
    private let forbidden: Set<String>
    /// The folder of what Purvey keeps: nothing beneath it either, because there lie other extensions' containers.
    private let data: String

    /// - Parameters:
    ///   - reachable: folders that the extension reaches with everything beneath them.
    ///   - data: the folder of what Purvey keeps for this user.
    ///   - homes: the user's home folders.
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

    /// The library files in the folders in which the loader looks for a program's libraries, where those folders hold the
    /// language's. Blocks on the file system.
    ///
    /// The program names the folders, and its author may have meant any: so a folder has to have the language's core library
    /// in it, and of it only files are given away that have the names of libraries, none by way of a link and none in a
    /// folder beneath it.
    package func files(of program: String) -> [String] {
        guard let file = try? FileDescriptor.open(program, [.readOnly, .nonBlocking]),
            let named = try? ProgramFile(file).librarySearchPath()
        else { return [] }
        var folders: [String] = []
        // A folder that is relative to the program is in its bundle, which it reaches.
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

    /// `libName.so` and `libName.so.5`.
    private static func isLibrary(_ name: String) -> Bool {
        name.hasPrefix("lib") && (name.hasSuffix(".so") || name.contains(".so."))
    }

    private static func canonical(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
