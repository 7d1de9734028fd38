import DaemonTesting
import DomainMessages
import FileProvider
import FileTesting
import Glibc
import LinuxSystem
import ScriptableService

/// One operation of a scenario. The local user performs it in the mount, or another client at the service. Paths are
/// relative to the root.
enum Operation: Sendable, CustomStringConvertible {
    case make(String, String)
    case makeFolder(String)
    case makeLink(String, to: String)
    /// A replacement of a file's contents.
    case change(String, String)
    /// An overwrite of a file from its beginning; the new text is not shorter than the old one.
    case overwrite(String, String)
    /// An addition to the end of a file.
    case append(String, String, whole: String)
    /// A save as editors do it: a new file is renamed over the old one.
    case save(String, String)
    /// A rename or move, possibly over another file.
    case rename(String, to: String)
    case remove(String)
    case removeFolder(String)
    /// A listing of a directory, which must have these names; `nil` while another client changes it.
    case list(String, Set<String>?)
    /// A read of a file, which must have one of these texts.
    case read(String, [String])
    /// A read of a number of bytes at an offset of a file, which must have one of these texts.
    case readPart(String, Int, Int, [String])
    /// An open of a local file for writing, and its close without a change.
    case open(String)
    case setMode(String, UInt16)
    /// A change of the date, in seconds since 1970.
    case setDate(String, Int)
    /// A change of an extended attribute. Without a value the attribute is removed.
    case setAttribute(String, String, String?)
    /// An eviction of a file's contents.
    case evict(String)
    case tag(String, added: [String], removed: [String])
    case favor(String, Bool)
    case trash(String)
    /// A restore of the item with this name from the trash.
    case untrash(String, to: String)
    /// A permanent removal of the item with this name from the trash, as by `purvey trash --empty`.
    case removeForGood(String)

    // Operations of other clients at the service.
    case put(String, String)
    case takeAway(String)
    case moveThere(String, to: String)
    case removeFromTrash(String)
    case expireAnchors

    /// An error for a result that differs from the expected one.
    struct Wrong: Error {
        let finding: Loss
    }

    var description: String {
        switch self {
        case .make(let path, let text): "make \(path) (\(text.utf8.count))"
        case .makeFolder(let path): "make the folder \(path)"
        case .makeLink(let path, _): "make the link \(path)"
        case .change(let path, let text): "change \(path) (\(text.utf8.count))"
        case .overwrite(let path, let text): "overwrite \(path) (\(text.utf8.count))"
        case .append(let path, let text, _): "append to \(path) (\(text.utf8.count))"
        case .save(let path, let text): "save \(path) (\(text.utf8.count))"
        case .rename(let path, let target): "rename \(path) to \(target)"
        case .remove(let path): "remove \(path)"
        case .removeFolder(let path): "remove the folder \(path)"
        case .list(let path, _): "list \(path)"
        case .read(let path, _): "read \(path)"
        case .readPart(let path, let start, let count, _): "read \(count) bytes of \(path) from \(start) on"
        case .open(let path): "open \(path) for writing"
        case .setMode(let path, let mode): "set the mode of \(path) to \(String(mode, radix: 8))"
        case .setDate(let path, let date): "set the date of \(path) to \(date)"
        case .setAttribute(let path, let name, let value): "set \(name) of \(path) to \(value ?? "nothing")"
        case .evict(let path): "evict \(path)"
        case .tag(let path, let added, let removed): "tag \(path): \(added) and not \(removed)"
        case .favor(let path, let isFavorite): "make \(path) \(isFavorite ? "a favorite" : "no favorite")"
        case .trash(let path): "trash \(path)"
        case .untrash(_, let path): "put back \(path)"
        case .removeForGood(let name): "remove \(name) from the trash"
        case .removeFromTrash(let name): "others remove \(name) from the trash"
        case .put(let path, let text): "others put \(path) (\(text.utf8.count))"
        case .takeAway(let path): "others remove \(path)"
        case .moveThere(let path, let target): "others rename \(path) to \(target)"
        case .expireAnchors: "others have the anchors expire"
        }
    }

    /// The remote components that an operation depends on.
    enum Need {
        case nothing
        /// The operation may fail while the provider or its service fails.
        case provider
        /// Changes at the service by other clients, or by earlier operations, must be known locally first.
        case others
    }

    var need: Need {
        switch self {
        // The trashed item has to be at the service first.
        case .trash, .untrash, .removeFromTrash, .removeForGood: .others
        case .read(let path, _), .readPart(let path, _, _, _), .open(let path), .evict(let path), .list(let path, _):
            CourseWriter.isTheirs(path) ? .others : .provider
        case .overwrite, .append, .removeFolder, .setAttribute: .provider
        default: .nothing
        }
    }

    func perform(in place: FaultFixture) throws {
        func path(_ relative: String) -> String { relative.isEmpty ? place.mount : place.mount + "/" + relative }
        switch self {
        case .make(let file, let text), .change(let file, let text):
            try Files.write(text, to: path(file), O_WRONLY | O_CREAT | O_TRUNC)
        case .makeFolder(let folder): try Files.makeFolder(path(folder))
        case .makeLink(let link, let target): try Files.makeLink(path(link), to: target)
        case .overwrite(let file, let text): try Files.write(text, to: path(file), O_RDWR)
        case .append(let file, let more, _): try Files.write(more, to: path(file), O_WRONLY | O_APPEND)
        case .save(let file, let text):
            try Files.write(text, to: path(Self.beside(file)), O_WRONLY | O_CREAT | O_TRUNC)
            try Files.rename(path(Self.beside(file)), to: path(file))
        case .rename(let old, let new): try Files.rename(path(old), to: path(new))
        case .remove(let file): try Files.remove(path(file))
        case .removeFolder(let folder): try Files.removeFolder(path(folder))
        case .list(let folder, let names):
            let found = try FileDescriptor.open(path(folder), [.readOnly, .directory]).entries().map(\.name.description)
            guard let names, Set(found) != names || found.count != names.count else { return }
            throw Wrong(
                finding: Loss(.unreachable, folder, "its names are \(found.sorted()) instead of \(names.sorted())"))
        case .read(let file, let texts):
            let found = try Files.read(path(file))
            if !texts.contains(found) { throw Wrong(finding: Loss(.torn, file, Loss.excerpt(found))) }
        case .readPart(let file, let start, let count, let texts):
            let found = try Files.read(path(file), at: start, count)
            guard !texts.contains(where: { $0.utf8.dropFirst(start).prefix(count).elementsEqual(found) }) else {
                return
            }
            let words = Loss.excerpt(String(decoding: found, as: UTF8.self))
            throw Wrong(finding: Loss(.torn, file, "from \(start) on it is \(words)"))
        case .open(let file):
            // Opening sets the contents apart for writing, and closing puts them back.
            _ = try Files.read(path(file))
            try Files.touch(path(file))
        case .setMode(let item, let mode): try retrying { chmod(path(item), mode_t(mode)) }
        case .setDate(let file, let date):
            let times = [timespec(tv_sec: date, tv_nsec: 0), timespec(tv_sec: date, tv_nsec: 0)]
            try retrying { utimensat(AT_FDCWD, path(file), times, 0) }
        case .setAttribute(let item, let name, let value):
            let descriptor = try FileDescriptor.open(path(item), .readOnly)
            if let value { try descriptor.setAttribute(name, value) } else { try descriptor.removeAttribute(name) }
        case .evict(let file): _ = try? place.call(EvictItemCall(place: place.item(file)))
        case .tag(let path, let added, let removed):
            try place.call(TagItemCall(place: place.item(path), added: added, removed: removed))
        case .favor(let path, let isFavorite):
            try place.call(SetFavoriteCall(place: place.item(path), isFavorite: isFavorite))
        case .trash(let path): try place.call(TrashItemCall(place: place.item(path)))
        case .untrash(let name, let target):
            try place.call(UntrashItemCall(domain: FaultFixture.domain, item: name))
            // The kernel is notified a moment later than the caller.
            _ = try FileStatus.of(path(target), followingLinks: false)
        case .removeForGood(let name):
            try place.waitForTrashed(name)
            try place.call(EmptyTrashCall(domain: FaultFixture.domain, item: name))
        case .removeFromTrash(let name): try place.service.remove(CloudItem.trashPath + "/" + name)
        case .put(let file, let text): try place.service.put(file, text)
        case .takeAway(let file): try place.service.remove(file)
        case .moveThere(let old, let new): try place.service.move(old, to: new)
        case .expireAnchors: try place.service.expireAnchors()
        }
        if isOthers { place.giveNotice(isNew: true) }
    }

    /// Whether another client performs the operation at the service.
    private var isOthers: Bool {
        switch self {
        case .removeFromTrash, .put, .takeAway, .moveThere, .expireAnchors: true
        default: false
        }
    }

    /// Repeats the operation as a user does after a failure. Parts that succeeded are not repeated.
    func performAgain(in place: FaultFixture) throws {
        // The error is passed on if it is unknown whether the item exists.
        func isThere(_ relative: String) throws(Errno) -> Bool {
            do throws(Errno) {
                _ = try FileStatus.of(place.mount + "/" + relative, followingLinks: false)
                return true
            } catch .noSuchFile {
                return false
            }
        }
        switch self {
        case .makeFolder(let path), .makeLink(let path, _):
            if try isThere(path) { return }
        case .rename(let old, let new):
            if try !isThere(old), try isThere(new) { return }
        case .remove(let path), .removeFolder(let path), .trash(let path):
            if try !isThere(path) { return }
        case .untrash(_, let path):
            if try isThere(path) { return }
        case .removeForGood(let name):
            if try !place.isTrashed(name) { return }
        case .setAttribute(_, _, nil):
            do {
                return try perform(in: place)
            } catch let error as Errno where error == .noData {
                return
            }
        case .append(let file, _, let whole):
            return try Files.write(whole, to: place.mount + "/" + file, O_WRONLY | O_TRUNC)
        case .save(let file, let text):
            if try !isThere(Self.beside(file)), try Files.read(place.mount + "/" + file) == text { return }
        default: break
        }
        try perform(in: place)
    }

    private static func beside(_ file: String) -> String { file + ".new" }
}
