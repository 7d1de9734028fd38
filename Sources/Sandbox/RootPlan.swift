import Glibc
import LinuxSystem

/// The contents of the root directory that a confined program gets: mounts of the paths that it can access, and the
/// symbolic links on these paths.
struct RootPlan {
    /// The paths to mount, with symbolic links resolved. Parents precede children.
    private(set) var mounts: [(path: String, access: Confinement.Access)] = []
    /// The symbolic links that are not within a mounted path, ordered by path.
    private(set) var links: [(path: String, target: String)] = []
    /// Whether the program can access all files, so that a separate root directory has no effect.
    private(set) var isWhole = false

    /// The maximum number of symbolic links on a path. It equals the kernel's limit; see path_resolution(7).
    private static let mostLinks = 40

    /// Plans the root directory for the given paths. Blocks on the file system, because symbolic links are resolved.
    init(for paths: [(path: String, access: Confinement.Access)]) {
        var accesses: [String: Confinement.Access] = [:]
        var targets: [String: String] = [:]
        var places = Places()
        for (path, access) in paths where !Self.isOfProc(path) {
            var passed: [(path: String, target: String)] = []
            guard let resolved = Self.resolve(path, &passed, &places), passed.isEmpty || !access.contains(.withoutLinks)
            else {
                continue
            }
            for link in passed { targets[link.path] = link.target }
            accesses[resolved, default: []].formUnion(access)
        }
        isWhole = accesses["/"] != nil
        for (path, access) in accesses.sorted(by: { $0.key < $1.key }) {
            // The mount of the nearest parent shows everything beneath it. Therefore the path needs a mount of its own
            // only if its access differs from the parent's in whether files can be written.
            let parent = mounts.last { Self.isBeneath(path, $0.path) }
            if let parent, Self.writes(parent.access) == Self.writes(access) { continue }
            mounts.append((path, access))
        }
        links = targets.sorted { $0.key < $1.key }.map { (path: $0.key, target: $0.value) }
            .filter { link in !mounts.contains { Self.isBeneath(link.path, $0.path) } }
    }

    private static func writes(_ access: Confinement.Access) -> Bool { !access.isDisjoint(with: [.write, .change]) }

    private static func isBeneath(_ path: String, _ other: String) -> Bool {
        path.utf8.starts(with: (other == "/" ? "/" : other + "/").utf8)
    }

    private static func isOfProc(_ path: String) -> Bool { path.pathNames(beneath: "/proc") != nil }

    /// A cache that records whether a path is a symbolic link. It is useful because most paths have the same first
    /// components.
    private struct Places {
        enum Place {
            case link(String)
            case other
            /// The path cannot be examined, or is a link whose target is not UTF-8.
            case unknown
        }

        private var known: [String: Place] = [:]

        mutating func look(at path: String) -> Place {
            if let place = known[path] { return place }
            let place = Self.place(at: path)
            known[path] = place
            return place
        }

        private static func place(at path: String) -> Place {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { target in
                guard let start = target.baseAddress else { return .unknown }
                let count = readlink(path, start, target.count)
                // EINVAL: the path is not a link.
                guard count >= 0 else { return errno == EINVAL ? .other : .unknown }
                let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(target)[..<count])
                return String(validating: bytes, as: UTF8.self).map { .link($0) } ?? .unknown
            }
        }
    }

    /// Resolves the symbolic links of an absolute path, and appends these links to `passed`. Returns `nil` if there are
    /// too many links, if a link's target is not UTF-8 or is in `/proc`, or if the path is relative or cannot be
    /// examined.
    private static func resolve(
        _ path: String, _ passed: inout [(path: String, target: String)], _ places: inout Places
    ) -> String? {
        guard path.isAbsolutePath else { return nil }
        var names = path.pathNames[...]
        // The part of the path that was resolved so far, without links; empty for the root.
        var resolved = ""
        while let name = names.popFirst() {
            if name == "." { continue }
            if name == ".." {
                if let slash = resolved.lastSlash { resolved.removeSubrange(slash...) }
                continue
            }
            let next = resolved + "/" + name
            // Links in `/proc` lead to other places in the confined program.
            if isOfProc(next) { return nil }
            switch places.look(at: next) {
            case .unknown: return nil
            case .other: resolved = next
            case .link(let target):
                guard passed.count < mostLinks else { return nil }
                passed.append((next, target))
                if target.isAbsolutePath { resolved = "" }
                names = target.pathNames[...] + names
            }
        }
        return resolved.isEmpty ? "/" : resolved
    }
}
