import CLinux
import Glibc
import LinuxSystem

/// What came of system calls in a folder, to be held against what came of the same calls on another file system.
///
/// The calls are in scenes, each in a new folder that the process goes into, so that paths are short and no scene sees what
/// another one left.
struct Transcript {
    /// What was done, by a name that no other line has, and what came of it.
    private(set) var lines: [(name: String, outcome: String)] = []
    private var scene = ""
    private var sceneCount = 0

    /// Plays a scene. What it does not expect ends it, and is a line too.
    mutating func scene(_ name: String, _ body: (inout Transcript) throws -> Void) throws {
        scene = name
        sceneCount += 1
        let folder = "scene \(sceneCount)"
        try retrying { mkdir(folder, 0o755) }
        try retrying { chdir(folder) }
        // A scene may remove the folder that it is in.
        let back = try FileDescriptor.open("..", [.readOnly, .directory])
        do { try body(&self) } catch { add("the end", "\(error)") }
        try retrying { fchdir(back.rawValue) }
    }

    private mutating func add(_ step: String, _ outcome: String) { lines.append(("\(scene): \(step)", outcome)) }

    /// Notes whether a call is made or what it fails with.
    mutating func note<Result>(_ step: String, _ body: () throws -> Result) {
        tell(step) {
            _ = try body()
            return "done"
        }
    }

    /// Notes what a call answers or what it fails with.
    mutating func tell<Result>(_ step: String, _ body: () throws -> Result) {
        do { add(step, "\(try body())") } catch { add(step, "\(error)") }
    }

    /// Notes what stat(2) tells of a path, but for dates and what differs between file systems anyway.
    mutating func tellStatus(_ step: String, of path: String) {
        tell(step) { try FileStatus.of(path, followingLinks: false).words }
    }

    /// Notes which dates of files something changes.
    ///
    /// - Parameters:
    ///   - places: paths before and after.
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

    /// Waits until whatever is changed now gets another date than files have: the clock for that ticks some hundred times in a
    /// second only.
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
    /// What can be compared between file systems. The links of folders are counted in more than one way.
    fileprivate var words: String {
        let mode = String(raw.st_mode & 0o7777, radix: 8)
        let owner = raw.st_uid == geteuid() && raw.st_gid == getegid() ? "ours" : "of \(raw.st_uid):\(raw.st_gid)"
        return kind == .directory
            ? "\(kind.words), \(mode), \(owner)" : "\(kind.words), \(mode), \(owner), \(size) bytes, \(linkCount) names"
    }
}
