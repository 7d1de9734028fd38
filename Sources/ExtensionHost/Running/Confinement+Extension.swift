import AppExtension
import Foundation
import LinuxSystem

extension Confinement {
    /// What an extension may reach: its own folder and container, the system's programs' libraries and data, and nothing
    /// of its user's but what the daemon places for it.
    init(of bundle: ExtensionBundle, in container: Container, scopes: ScopeFolder) {
        self.init(workingFolder: container.path)
        network = bundle.usesNetwork
        memory = UInt64(bundle.memoryLimit)
        paths = [
            (bundle.path, .read),
            // No other program: the loader is one, because the kernel runs it in the program's name.
            (bundle.executable, [.read, .execute]),
            ("/lib64/ld-linux-x86-64.so.2", [.read, .execute]), ("/lib/ld-linux-aarch64.so.1", [.read, .execute]),
            (container.path, [.read, .write]),
            (scopes.path(for: .reading), .read), (scopes.path(for: .changing), [.read, .change]),
            ("/usr", .read), ("/lib", .read), ("/lib64", .read), ("/etc", .read),
            ("/sys/devices/system/cpu", .read), ("/proc/meminfo", .read), ("/proc/cpuinfo", .read),
            ("/proc/stat", .read), ("/proc/sys/vm/overcommit_memory", .read),
            ("/dev/null", [.read, .write]), ("/dev/zero", .read), ("/dev/urandom", .read), ("/dev/random", .read),
        ]
        paths += Self.libraryFolders.map { ($0, .read) }
        if network { paths.append(("/run/systemd/resolve", .read)) }
    }

    /// Where this process's own libraries lie: the language's may be outside of the system's folders.
    private static let libraryFolders: [String] = {
        var folders: Set<String> = []
        for line in SystemFile.text("/proc/self/maps").split(separator: "\n") where line.contains("/libswift") {
            guard let start = line.firstIndex(of: "/") else { continue }
            folders.insert((String(line[start...]) as NSString).deletingLastPathComponent)
        }
        return folders.sorted()
    }()
}
