import CLinux
import Glibc
import LinuxSystem

/// The results of system calls in a directory, which are compared with those of the same calls on another file system.
///
/// The calls are grouped into scenes, each in a new directory that becomes the working directory. Paths are therefore
/// short, and no scene sees the files of another.
struct Transcript {
    /// Each step by its unique name, and its outcome.
    private(set) var lines: [(name: String, outcome: String)] = []
    private var scene = ""
    private var sceneCount = 0

    /// Runs a scene. An unexpected error ends the scene and is recorded as a line.
    mutating func scene(_ name: String, _ body: (inout Transcript) throws -> Void) throws {
        scene = name
        sceneCount += 1
        let folder = "scene \(sceneCount)"
        try retrying { mkdir(folder, 0o755) }
        try retrying { chdir(folder) }
        // A scene may remove its own directory.
        let back = try FileDescriptor.open("..", [.readOnly, .directory])
        do { try body(&self) } catch { add("the end", "\(error)") }
        try retrying { fchdir(back.rawValue) }
    }

    private mutating func add(_ step: String, _ outcome: String) { lines.append(("\(scene): \(step)", outcome)) }

    /// Records whether a call succeeds, or its error.
    mutating func note<Result>(_ step: String, _ body: () throws -> Result) {
        tell(step) {
            _ = try body()
            return "done"
        }
    }

    /// Records a call's result, or its error.
    mutating func tell<Result>(_ step: String, _ body: () throws -> Result) {
        do { add(step, "\(try body())") } catch { add(step, "\(error)") }
    }

    /// Records what stat(2) reports for a path, except dates and values that differ between file systems anyway.
    mutating func tellStatus(_ step: String, of path: String) {
        tell(step) { try FileStatus.of(path, followingLinks: false).words }
    }

    /// Records which dates of files an action changes.
    ///
    /// - Parameters:
    ///   - places: The files' paths before and after the action.
    mutating func noteDates(
        _ step: String, of places: [(before: String, after: String)], _ action: () throws -> Void
    ) {
        do {
            let before = try places.map { try FileStatus.of($0.before, followingLinks: false) }
            Self.letTimePass(after: before)
            try action()
            for (place, old) in zip(places, before) {
                let new = try FileStatus.of(place.after, followingLinks: false)
                let name = "\(step), \(place.after)"
                add(name + ", date of the contents", Self.word(old.modifiedNanoseconds, new.modifiedNanoseconds))
                add(name + ", date of the status", Self.word(old.changedNanoseconds, new.changedNanoseconds))
            }
        } catch {
            add(step, "\(error)")
        }
    }

    mutating func noteDates(_ step: String, of paths: String..., by action: () throws -> Void) {
        noteDates(step, of: paths.map { ($0, $0) }, action)
    }

    private static func word(_ old: Int64, _ new: Int64) -> String {
        new > old ? "later" : new < old ? "earlier" : "the same"
    }

    /// Waits until a change would get a later date than the files have. The kernel's clock for file dates ticks only a
    /// few hundred times a second.
    private static func letTimePass(after statuses: [FileStatus]) {
        let latest = statuses.flatMap { [$0.modifiedNanoseconds, $0.changedNanoseconds] }.max() ?? 0
        var now = timespec()
        repeat {
            usleep(1_000)
            clock_gettime(CLOCK_REALTIME_COARSE, &now)
        } while Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec) <= latest + 1_000_000
    }
}

extension FileStatus {
    /// The values that are comparable between file systems. The link counts of directories are not among them.
    fileprivate var words: String {
        let mode = String(raw.st_mode & 0o7777, radix: 8)
        let owner = raw.st_uid == geteuid() && raw.st_gid == getegid() ? "ours" : "of \(raw.st_uid):\(raw.st_gid)"
        return kind == .directory
            ? "\(kind.words), \(mode), \(owner)" : "\(kind.words), \(mode), \(owner), \(size) bytes, \(linkCount) names"
    }
}
