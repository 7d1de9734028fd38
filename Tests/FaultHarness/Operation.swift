import DaemonTesting
import FileProvider
import Glibc
import LinuxSystem
import ScriptableService

/// One thing that is done in a scenario: by a person in the mount, or by others at the service. Paths are beneath the root.
enum Operation: Sendable, CustomStringConvertible {
    case make(String, String)
    case makeFolder(String)
    case makeLink(String, to: String)
    /// Writes a file anew.
    case change(String, String)
    /// Writes into a file, from its beginning; the new text is not shorter than the old one.
    case overwrite(String, String)
    /// Adds to the end.
    case append(String, String, whole: String)
    /// A new file is made and takes the place of another, as editors save.
    case save(String, String)
    /// Renames or moves, onto nothing or onto another file.
    case rename(String, to: String)
    case remove(String)
    case removeFolder(String)
    /// Looks into a folder, which has these names; `nil` where others are changing it.
    case list(String, Set<String>?)
    /// Reads a file, which has one of these texts.
    case read(String, [String])
    /// Lets go of what is here of a file.
    case evict(String)
    case tag(String, added: [String], removed: [String])
    case favor(String, Bool)
    case trash(String)
    /// Has what is in the trash by this name go back to its place.
    case untrash(String, to: String)

    // At the service.
    case put(String, String)
    case takeAway(String)
    case moveThere(String, to: String)
    case removeFromTrash(String)
    case expireAnchors

    /// What was found was not what has to be there.
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
        case .evict(let path): "evict \(path)"
        case .tag(let path, let added, let removed): "tag \(path): \(added) and not \(removed)"
        case .favor(let path, let isFavorite): "make \(path) \(isFavorite ? "a favorite" : "no favorite")"
        case .trash(let path): "trash \(path)"
        case .untrash(_, let path): "put back \(path)"
        case .removeFromTrash(let name): "others remove \(name) from the trash"
        case .put(let path, let text): "others put \(path) (\(text.utf8.count))"
        case .takeAway(let path): "others remove \(path)"
        case .moveThere(let path, let target): "others rename \(path) to \(target)"
        case .expireAnchors: "others have the anchors expire"
        }
    }

    /// Whether it may fail while the provider or its service does: it needs what is not on this machine.
    var needsProvider: Bool {
        switch self {
        case .overwrite, .append, .removeFolder, .list, .read, .evict: true
        // What is in there has to be at the service first.
        case .trash, .untrash, .removeFromTrash: true
        default: false
        }
    }

    func perform(in place: FaultPlace) throws {
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
        case .evict(let file): _ = try? place.call(EvictItemCall(place: place.item(file)))
        case .tag(let path, let added, let removed):
            try place.call(TagItemCall(place: place.item(path), added: added, removed: removed))
        case .favor(let path, let isFavorite):
            try place.call(SetFavoriteCall(place: place.item(path), isFavorite: isFavorite))
        case .trash(let path): try place.call(TrashItemCall(place: place.item(path)))
        case .untrash(let name, _): try place.call(UntrashItemCall(domain: FaultPlace.domain, item: name))
        case .removeFromTrash(let name): try place.cloud.control.remove(CloudItem.trashPath + "/" + name)
        case .put(let file, let text): try place.cloud.control.put(file, text)
        case .takeAway(let file): try place.cloud.control.remove(file)
        case .moveThere(let old, let new): try place.cloud.control.move(old, to: new)
        case .expireAnchors: try place.cloud.control.expireAnchors()
        }
    }

    /// Does it again, as a person does who was told that it failed: of what was done already nothing is done twice.
    func performAgain(in place: FaultPlace) throws {
        // What cannot be looked at may be there or not.
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
