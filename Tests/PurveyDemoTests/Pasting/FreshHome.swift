import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// The home directory of a user who has just cloned and built the repository.
///
/// The checkout is a copy of the files that the blocks use, in a directory of another name. Its `.build/debug` is a
/// link to the programs that were built with the tests. At the end every process with this home is ended, and nothing
/// may be left.
final class FreshHome: Sendable {
    private let folder: String
    private let terminals = Lock<[Terminal]>([])

    /// Runs a test in a home of its own.
    static func run(_ body: (FreshHome) async throws -> Void) async throws {
        let home = try FreshHome()
        do {
            try await body(home)
        } catch {
            await home.end()
            throw error
        }
        await home.end()
    }

    private init() throws {
        let temporary = (NSTemporaryDirectory() as NSString).resolvingSymlinksInPath
        folder = temporary + "/rm-" + UUID().uuidString.prefix(8)
        let files = FileManager.default
        for name in ["home", "tools", "checkout/.build"] {
            try files.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: true)
        }
        try files.createDirectory(
            atPath: folder + "/run", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let copied = ["Examples", "Providers", "README.md", "Scripts"].map(Repository.path)
        try Self.copy(copied, to: checkout)
        let products = (try BuiltProgram.path("purveyd") as NSString).deletingLastPathComponent
        try files.createSymbolicLink(atPath: checkout + "/.build/debug", withDestinationPath: products)
        try Data(Self.make.utf8).write(to: URL(fileURLWithPath: folder + "/make"))
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder + "/make")
        try Self.copy([folder + "/make"], to: folder + "/tools")
    }

    /// Copies files and folders in another process. If this one wrote a script, a fork might inherit the script's
    /// descriptor open for writing, and executing the script would fail.
    private static func copy(_ paths: [String], to folder: String) throws {
        let copy = try ChildProgram.start("/bin/cp", arguments: ["-R"] + paths + [folder], descriptors: []).wait()
        try #require(copy == .exited(0))
    }

    /// A command that replaces `make`. The real one builds first, and a build cannot run among the tests that it has
    /// built. This one does what the real one does after the build, with the built programs; `make build` only checks
    /// that they exist. ``ReadmeTests`` checks that the real one has these goals and builds these programs.
    private static let make = """
        #!/bin/sh
        set -eu
        case "$*" in
        build)
            for program in \(built.joined(separator: " ")); do
                [ -x ".build/debug/$program" ] || { echo "make: $program is not built" >&2; exit 1; }
            done ;;
        run) exec Scripts/demonstrate-file-provider .build/debug Examples ;;
        demo) exec .build/debug/purvey-demo Examples ;;
        *) echo "make: a test has to say what to do for '$*'" >&2; exit 2 ;;
        esac
        """

    /// The programs that `make build` has to build.
    static let built = [
        "purvey", "purveyd", "purvey-keeper", "purvey-pictures", "purvey-bus", "purvey-passthrough", "LocalFolder",
        "hand-off", "logbook", "mirror", "ThumbnailAction", "FileAway", "NewNote",
    ]

    /// The directory that `~` stands for.
    var home: String { folder + "/home" }

    /// The directory in which terminals start.
    var checkout: String { folder + "/checkout" }

    /// Returns the contents of a file in the home directory, or `nil` if it does not exist.
    func contents(_ name: String) -> Data? { FileManager.default.contents(atPath: home + "/" + name) }

    /// Whether a file of this name exists in the home directory.
    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: home + "/" + name) }

    /// Opens a terminal.
    func terminal() async throws -> Terminal {
        // A newcomer's environment, without the test's own variables. The runtime directory belongs to this home,
        // because that of the user who runs the tests would lead to that user's own daemon.
        let environment = [
            "HOME": home, "USER": NSUserName(), "LOGNAME": NSUserName(), "SHELL": "/bin/bash", "TERM": "dumb",
            "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": folder + "/run", "TMPDIR": NSTemporaryDirectory(),
            "PATH": folder + "/tools:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        ]
        let number = terminals.withLock { $0.count + 1 }
        let terminal = try Terminal(environment: environment, in: checkout, files: folder + "/terminal-\(number)")
        terminals.withLock { $0.append(terminal) }
        try await terminal.begin()
        return terminal
    }

    // MARK: The end

    /// The processes whose environment has this home.
    private var processes: [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let variable = Data("HOME=\(home)\0".utf8)
        return names.compactMap { pid_t($0) }.filter { process in
            FileManager.default.contents(atPath: "/proc/\(process)/environ")?.range(of: variable) != nil
        }
    }

    /// Whether a file system is mounted in this home.
    private var hasMounts: Bool {
        (try? MountTable.current())?.mounts.contains { $0.point.hasPrefix(home + "/") } == true
    }

    /// Whether a file system is mounted on a directory of the home.
    func isMounted(_ name: String) -> Bool {
        (try? MountTable.current())?.mounts.contains { $0.point == home + "/" + name } == true
    }

    private func end() async {
        for terminal in terminals.withLock({ $0 }) { await terminal.close() }
        // A keeper that loses its daemon starts one or ends, so this repeats until no process is left.
        let hasEnded = await eventually {
            let processes = self.processes
            for process in processes { kill(process, SIGTERM) }
            return processes.isEmpty
        }
        if !hasEnded {
            let left = processes
            Issue.record("these do not end: \(left.map(Self.command))")
            for process in left { kill(process, SIGKILL) }
        }
        if hasMounts { Issue.record("something is still mounted in \(home)") }
        let isRemoved = await eventually {
            try? FileManager.default.removeItem(atPath: self.folder)
            return !FileManager.default.fileExists(atPath: self.folder)
        }
        if !isRemoved { Issue.record("\(folder) cannot be removed") }
    }

    private static func command(of process: pid_t) -> String {
        let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
        return "\(process) " + String(decoding: line, as: UTF8.self).replacing("\0", with: " ")
    }
}

/// Polls until a condition holds. A busy machine may take long.
///
/// - Returns: Whether the condition holds.
func eventually(_ condition: () throws -> Bool) async rethrows -> Bool {
    for _ in 0..<6_000 {
        if try condition() { return true }
        try? await Task.sleep(for: .milliseconds(50))
    }
    return false
}
