import Exchange
import Glibc
import LinuxSystem
import ProgramManuals

/// The command-line options of `purveyd`.
struct DaemonOptions: Sendable {
    /// Whether to stay in the foreground and log to standard error, instead of running in the background.
    var foreground = false
    /// The path of the socket to listen on; `nil` for the user's standard socket.
    var socket: String?
    /// Whether to mount nothing.
    var noMount = false
    var level = DaemonLog.Level.info
    /// The descriptor on which the starter waits until this process is ready. Internal.
    var readiness: CInt?
    /// The number of consecutive earlier daemons that died soon after their start; `nil` if no keeper restarts this
    /// daemon. Internal.
    var deaths: Int?

    /// An error in a command line.
    struct UsageError: Error {
        let message: String
    }

    static let manual = ProgramManual(
        name: "purveyd", summary: "serve the mounts, extensions and offered items of one user",
        usage: ["[--foreground] [--socket PATH] [--no-mount] [--log LEVEL]"],
        text: "Serves the mounts, extensions and offered items of one user. Commands and programs start it.",
        options: [
            .init(
                name: "foreground", value: nil, summary: "stay in the foreground and write the log to standard error"),
            .init(name: "socket", value: "PATH", summary: "listen at PATH instead of in the user's runtime folder"),
            .init(name: "no-mount", value: nil, summary: "mount no file provider"),
            .init(name: "log", value: "error|warning|info|debug", summary: "the least of the messages to log (info)"),
        ], discussion: discussion)

    private static let discussion = """
        PURVEY_HOME is the directory for all folders that it uses. PURVEY_BUS=none hides the domains from the desktop's bus.
        PURVEY_KEYRING=file keeps the key of stored passwords in a file, and not in the desktop's keyring.
        PURVEY_PASSTHROUGH is the socket of purvey-passthrough (/run/purvey-passthrough). SIGTERM ends it properly.
        """

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts[0]
            var attached = parts.count > 1 ? parts[1] : nil
            func value() throws(UsageError) -> String {
                defer { attached = nil }
                if let attached { return attached }
                guard let next = rest.popFirst() else { throw UsageError(message: "\(name) needs a value") }
                return next
            }
            switch name {
            case "--foreground": foreground = true
            case "--no-mount": noMount = true
            case "--socket":
                let path = try value()
                guard !path.isEmpty else { throw UsageError(message: "--socket needs a path") }
                socket = path.hasPrefix("/") ? path : Self.workingFolder + "/" + path
            case "--log":
                let text = try value()
                guard let level = DaemonLog.Level(name: text) else {
                    let known = ["error", "warning", "info", "debug"]
                    throw UsageError(
                        message: SpellingSuggestion.sentence(
                            "--log cannot be '\(text)'", about: text, known: known, listing: true))
                }
                self.level = level
            case "--ready-descriptor":
                guard let number = CInt(try value()), number > 2 else {
                    throw UsageError(message: "--ready-descriptor needs the number of a descriptor")
                }
                readiness = number
            case "--deaths":
                guard let number = Int(try value()), number >= 0 else {
                    throw UsageError(message: "--deaths needs a number")
                }
                deaths = number
            default:
                throw UsageError(message: Self.manual.complaint(about: word))
            }
            if attached != nil { throw UsageError(message: "\(name) takes no value") }
        }
    }

    private static var workingFolder: String {
        guard let path = getcwd(nil, 0) else { return "" }
        defer { free(path) }
        return String(cString: path)
    }
}

/// The resource limits that this daemon inherited and may not raise.
enum DaemonLimits {
    /// The limit of descriptors below which a warning is reported. Usual systems have a higher limit.
    private static let fewDescriptors: UInt64 = 1024

    /// Sentences about the operations that may fail because of low limits; empty on an ordinary system.
    static var narrow: [String] {
        ResourceLimit.allCases.compactMap { limit -> String? in
            guard let value = limit.current, let words = words(limit, value) else { return nil }
            return "this daemon was started with low limits, which it cannot change: it may \(words)"
        }
    }

    private static func words(_ limit: ResourceLimit, _ value: UInt64) -> String? {
        switch limit {
        case .descriptors:
            value < fewDescriptors ? "have only \(value) files and connections open" : nil
        case .fileSize: "write only \(value) bytes to one file"
        case .processorTime: "run for only \(value) seconds of processor time"
        case .addressSpace, .data: "take only \(value) bytes of memory"
        // These limits are not reported. Every system limits the number of processes, and with a stack that is too
        // small, the daemon does not start at all.
        case .processes, .stack: nil
        }
    }
}
