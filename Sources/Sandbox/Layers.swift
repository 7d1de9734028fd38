import CSandbox
import Glibc
import LinuxSystem

/// The layers of confinement that not every kernel supports or not every system permits.
package struct Layers: Sendable, Equatable {
    /// The newest version of Landlock's interface that may be used; 0 disables Landlock.
    package var landlock: Int
    /// The namespaces that a program gets if the system permits them.
    package var namespaces: Namespaces

    package init(landlock: Int = .max, namespaces: Namespaces = .all) {
        self.landlock = landlock
        self.namespaces = namespaces
    }

    /// The namespaces of a program. All of them are created within a user namespace; see namespaces(7).
    package struct Namespaces: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let ipc = Namespaces(rawValue: CSANDBOX_NAMESPACE_IPC.rawValue)
        package static let hostName = Namespaces(rawValue: CSANDBOX_NAMESPACE_HOST_NAME.rawValue)
        package static let network = Namespaces(rawValue: CSANDBOX_NAMESPACE_NETWORK.rawValue)
        package static let files = Namespaces(rawValue: CSANDBOX_NAMESPACE_FILES.rawValue)
        package static let all: Namespaces = [.ipc, .hostName, .network, .files]
    }

    /// The environment variable that disables layers, for tests of programs as they run on an older or stricter system.
    /// Example: `PURVEY_LAYERS=landlock:2,namespaces:no`.
    package static let environmentKey = "PURVEY_LAYERS"

    /// The layers that this process uses. These are all layers, unless the environment variable ``environmentKey``
    /// disables some.
    package static let wanted = Layers(getenv(environmentKey).map { String(cString: $0) } ?? "")

    /// Parses the value of the environment variable: `landlock:VERSION` and `namespaces:no`, separated by commas.
    /// Ignores all other text.
    package init(_ text: String) {
        self.init()
        for part in text.split(separator: ",") {
            let words = part.split(separator: ":", maxSplits: 1)
            switch words.first {
            case "landlock": landlock = words.count > 1 ? Int(words[1]) ?? .max : .max
            case "namespaces" where words.last == "no": namespaces = []
            default: break
            }
        }
    }

    /// The namespaces of the confined program that was started last, and the reason why the system refused other
    /// namespaces.
    private struct Seen {
        var namespaces: Namespaces?
        var refusal: Errno?
    }

    // Leaf lock.
    private static let seen = Lock(Seen())

    /// Records the namespaces of a program that was just started.
    static func note(_ namespaces: Namespaces, refusal: Errno?) {
        seen.withLock { seen in
            // A program with network access has one namespace less, although the system may permit that namespace.
            seen = Seen(
                namespaces: namespaces.union(refusal == nil && !namespaces.isEmpty ? .network : []), refusal: refusal)
        }
    }

    /// Sentences about the limits that this system is unable to enforce; an empty array if it enforces all limits. The
    /// sentences about namespaces describe the last start of a program. If no program was started yet, this property
    /// starts one as a trial, and blocks.
    package static var missing: [String] { missing(wanted) }

    package static func missing(_ wanted: Layers) -> [String] {
        let (permitted, refusal) = namespaces(wanted)
        return missing(wanted, permitting: permitted, refusal)
    }

    /// Returns the sentences of ``missing`` for a system that permits the namespaces `permitted` and no others.
    ///
    /// - Parameter refusal: The reason why the system permits no other namespaces; `nil` if it permits all.
    package static func missing(_ wanted: Layers, permitting permitted: Namespaces, _ refusal: Errno?) -> [String] {
        let why = refusal.map { " (\($0))" } ?? ""
        var missing: [String] = []
        if !permitted.contains(.files) {
            missing.append(
                "the system permits no namespaces\(why): extensions can tell which files and processes exist, "
                    + "and read extended attributes of other files")
        } else if !permitted.contains(.network) {
            missing.append(
                "the system permits no namespace of the network\(why): extensions can see its connections and interfaces"
            )
        }
        switch wanted.usedLandlock {
        case ...0 where permitted.contains(.files):
            missing.append("the kernel has no Landlock: extensions can change files that they are handed for reading")
        case ...0: missing.append("the kernel has no Landlock: extensions reach all files of this user")
        case ..<3 where !permitted.contains(.files):
            missing.append("Landlock \(wanted.usedLandlock): extensions can empty files that they may read")
        default: break
        }
        return missing
    }

    /// The version of Landlock's interface that these layers use; 0 if Landlock is not used.
    package var usedLandlock: Int { min(Int(csandbox_landlock_version()), landlock) }

    /// Whether the system permits a separate root directory for each program. Blocks at its first use.
    package static var permitsRootDirectories: Bool { namespaces(wanted).0.contains(.files) }

    private static func namespaces(_ wanted: Layers) -> (Namespaces, Errno?) {
        if wanted.namespaces.isEmpty { return ([], nil) }
        if let known = seen.withLock({ seen in seen.namespaces.map { ($0, seen.refusal) } }) { return known }
        var trial = Confinement(workingFolder: "/")
        trial.paths = [("/usr", [.read, .execute]), ("/dev/null", [.read, .write])]
        trial.layers = wanted
        // The program's result does not matter, because its start was recorded.
        let child = try? ChildProgram.start(
            "/usr/bin/true", arguments: [], environment: [], descriptors: [], confinedTo: trial)
        _ = try? child?.wait()
        return seen.withLock { ($0.namespaces ?? [], $0.refusal) }
    }
}
