import Glibc
import LinuxSystem

/// The root directory that a confined program gets: mounts of what it reaches, and the symbolic links on the way there.
struct RootPlan {
    /// Paths without links, parents before children.
    private(set) var mounts: [(path: String, access: Confinement.Access)] = []
    /// Links outside of the mounts, by their path.
    private(set) var links: [(path: String, target: String)] = []
    /// Whether the program reaches everything, so that a root directory of its own makes no difference.
    private(set) var isWhole = false

    /// The kernel's own limit; see path_resolution(7).
    private static let mostLinks = 40

    /// Plans the root directory for paths. Blocks on the file system, which is asked where links lead.
    init(for paths: [(path: String, access: Confinement.Access)]) {
        var accesses: [String: Confinement.Access] = [:]
        var targets: [String: String] = [:]
        for (path, access) in paths where !Self.isOfProc(path) {
            var passed: [(path: String, target: String)] = []
            guard let resolved = Self.resolve(path, &passed), passed.isEmpty || !access.contains(.withoutLinks) else {
                continue
            }
            for link in passed { targets[link.path] = link.target }
            accesses[resolved, default: []].formUnion(access)
        }
        isWhole = accesses["/"] != nil
        for (path, access) in accesses.sorted(by: { $0.key < $1.key }) {
            // The nearest parent is mounted already, and shows everything beneath it.
            let parent = mounts.last { Self.isBeneath(path, $0.path) }
            if let parent, Self.writes(parent.access) == Self.writes(access) { continue }
            mounts.append((path, access))
        }
        links = targets.sorted { $0.key < $1.key }.map { (path: $0.key, target: $0.value) }
            .filter { link in !mounts.contains { Self.isBeneath(link.path, $0.path) } }
    }

    private static func writes(_ access: Confinement.Access) -> Bool { !access.isDisjoint(with: [.write, .change]) }

    private static func isBeneath(_ path: String, _ other: String) -> Bool {
        path.hasPrefix(other == "/" ? "/" : other + "/")
    }

    private static func isOfProc(_ path: String) -> Bool { path == "/proc" || path.hasPrefix("/proc/") }

    /// Returns an absolute path without links, and adds the links that led there; `nil` if there are too many, if
    /// one is not UTF-8 or leads into `/proc`, or if the path is relative or cannot be looked up.
    private static func resolve(_ path: String, _ passed: inout [(path: String, target: String)]) -> String? {
        guard path.hasPrefix("/") else { return nil }
        var names = path.split(separator: "/").map(String.init)[...]
        var resolved: [String] = []
        while let name = names.popFirst() {
            if name == "." { continue }
            if name == ".." {
                _ = resolved.popLast()
                continue
            }
            let next = "/" + (resolved + [name]).joined(separator: "/")
            // Links there lead to other places in the program.
            if isOfProc(next) { return nil }
            var target = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(next, &target, target.count)
            if count < 0 {
                // EINVAL: it is no link.
                guard errno == EINVAL else { return nil }
                resolved.append(name)
                continue
            }
            guard passed.count < mostLinks else { return nil }
            guard let text = String(validating: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) else {
                return nil
            }
            passed.append((next, text))
            if text.hasPrefix("/") { resolved = [] }
            names = text.split(separator: "/").map(String.init)[...] + names
        }
        return "/" + resolved.joined(separator: "/")
    }
}
