import DaemonTesting
import FileProviderEngine
import Glibc
import LinuxSystem

/// An edit by a user in a directory that begins as ``before``, with the engine's steps that it causes.
enum Edit: String, CaseIterable {
    case reading, changing, emptying, leaving, making, makingFolder, makingLink, renaming, renamingFolder, removing
    case removingFolder, removingNew, saving

    /// A step, and the number of the visit at which the daemon is killed.
    struct Moment: CustomStringConvertible {
        let step: EngineStep
        var count = 1
        var description: String { count == 1 ? step.rawValue : "\(step.rawValue):\(count)" }
    }

    /// The contents of the directory before the edit.
    static let before = [
        "one.txt": "one", "two.txt": "two", "inner": "folder", "inner/three.txt": "three", "empty": "folder",
    ]

    /// The moments at which the daemon is killed.
    var moments: [Moment] {
        let recording: [EngineStep] = [.editJournalled, .editIndexed]
        let asking: [EngineStep] = [.asked, .answered]
        let settling: [EngineStep] = [.settledMoved]
        let confirming: [EngineStep] = [.confirmedIndexed, .confirmedJournalled]
        let steps: [EngineStep] =
            switch self {
            case .reading: [.fetched, .fetchMoved]
            case .changing:
                [.openingMoved, .openingJournalled] + recording + [.copied] + asking + settling + confirming
            case .emptying: [.emptyingJournalled, .emptied, .answered]
            case .leaving: [.unchangedMoved, .unchangedJournalled]
            case .making:
                [.newFileMade] + recording + [.copied, .placeNoted] + asking + settling + confirming
            case .makingFolder: recording + [.placeNoted] + asking + confirming
            case .makingLink: [.editJournalled] + asking + confirming
            case .renaming: recording + asking + confirming
            case .renamingFolder: asking + confirming
            case .removing: recording + asking + confirming
            case .removingFolder: [.editJournalled] + asking + confirming
            case .removingNew: []
            case .saving: [.answered, .confirmedIndexed]
            }
        let moments = steps.map { Moment(step: $0) }
        guard self == .saving || self == .removingNew else { return moments }
        // The new file is made and closed, and then replaces the other or is removed.
        return moments + recording.flatMap { [Moment(step: $0, count: 2), Moment(step: $0, count: 3)] }
    }

    /// Performs the edit. Fails if the daemon dies meanwhile.
    func make(in folder: String) throws(Errno) {
        switch self {
        case .reading: _ = try Files.read(folder + "/one.txt")
        case .changing:
            // The read makes the contents local.
            _ = try Files.read(folder + "/one.txt")
            try Files.write("changed", to: folder + "/one.txt", O_RDWR)
        case .emptying: try Files.write("new", to: folder + "/one.txt", O_WRONLY | O_TRUNC)
        case .leaving:
            _ = try Files.read(folder + "/one.txt")
            try Files.touch(folder + "/one.txt")
        case .making: try Files.write("made", to: folder + "/made.txt", O_WRONLY | O_CREAT | O_TRUNC)
        case .makingFolder: try Files.makeFolder(folder + "/made")
        case .makingLink: try Files.makeLink(folder + "/link", to: "one.txt")
        case .renaming: try Files.rename(folder + "/one.txt", to: folder + "/inner/renamed.txt")
        case .renamingFolder: try Files.rename(folder + "/inner", to: folder + "/outer")
        case .removing: try Files.remove(folder + "/one.txt")
        case .removingFolder: try Files.removeFolder(folder + "/empty")
        case .removingNew:
            try Files.write("made", to: folder + "/made.txt", O_WRONLY | O_CREAT | O_EXCL)
            try Files.remove(folder + "/made.txt")
        case .saving:
            try Files.write("saved", to: folder + "/.one.txt.new", O_WRONLY | O_CREAT | O_EXCL)
            try Files.rename(folder + "/.one.txt.new", to: folder + "/one.txt")
        }
    }

    /// Repeats the edit, as a user does after a failure: parts that succeeded are not repeated.
    func repeated(in folder: String) throws(Errno) {
        switch self {
        case .makingFolder where Files.isThere(folder + "/made"): return
        case .makingLink where Files.isThere(folder + "/link"): return
        case .renaming where Files.isThere(folder + "/inner/renamed.txt"): return
        case .renamingFolder where Files.isThere(folder + "/outer"): return
        case .removing where !Files.isThere(folder + "/one.txt"): return
        case .removingFolder where !Files.isThere(folder + "/empty"): return
        case .removingNew:
            if Files.isThere(folder + "/made.txt") { try Files.remove(folder + "/made.txt") }
        case .saving:
            if try Files.read(folder + "/one.txt") == "saved" { return }
            if Files.isThere(folder + "/.one.txt.new") { try Files.remove(folder + "/.one.txt.new") }
            try make(in: folder)
        default: try make(in: folder)
        }
    }

    /// The contents of the directory after the edit.
    var after: [String: String] {
        var tree = Self.before
        switch self {
        case .reading, .leaving, .removingNew: break
        case .changing: tree["one.txt"] = "changed"
        case .emptying: tree["one.txt"] = "new"
        case .making: tree["made.txt"] = "made"
        case .makingFolder: tree["made"] = "folder"
        case .makingLink: tree["link"] = "-> one.txt"
        case .renaming:
            tree["one.txt"] = nil
            tree["inner/renamed.txt"] = "one"
        case .renamingFolder:
            tree["inner"] = nil
            tree["inner/three.txt"] = nil
            tree["outer"] = "folder"
            tree["outer/three.txt"] = "three"
        case .removing: tree["one.txt"] = nil
        case .removingFolder: tree["empty"] = nil
        case .saving: tree["one.txt"] = "saved"
        }
        return tree
    }
}
