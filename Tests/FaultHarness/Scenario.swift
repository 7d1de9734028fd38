/// What is done while something goes wrong; a seed decides with which files.
package enum Scenario: String, CaseIterable, Sendable {
    /// Files are made, written, appended to and saved by rename.
    case uploads
    /// Folders and files are made, renamed, moved and put in others' place.
    case renames
    /// Files, folders and trees are removed, and made again under their names.
    case removals
    /// A folder with many pages is looked into while others change it.
    case listings
    /// Files are read, let go of and read again while others write them.
    case downloads
    /// Files and folders get tags, lose them, become favorites and are none again, while they are changed and moved.
    case tags
    /// Files and folders are put into the trash, come back, or are removed for good from there.
    case trash
    /// Files and folders get modes, dates and attributes, while files are changed, renamed and moved; some are opened for writing only.
    case attributes
    /// Pieces of large files are read, while others write them.
    case parts

    /// What a step of a scenario may be.
    enum Deed: Sendable {
        case make, makeLarge, makeFolder, makeLink, change, overwrite, append, save
        case rename, move, renameFolder, replace
        case remove, removeFolder, removeTree, makeAgain
        case list, read, evict
        case tag, untag, favor
        case trash, untrash, emptyTrash, removeForGood
        case setMode, setDate, setAttribute, removeAttribute, open
        case readPart, putLarge
        case put, putNew, takeAway, moveThere, expireAnchors
    }

    /// Each as often as it is likely.
    var deeds: [Deed] {
        switch self {
        case .uploads:
            [.make, .make, .makeLarge, .makeLink, .change, .change, .overwrite, .append, .save, .save, .read]
        case .renames:
            [.make, .makeFolder, .makeFolder, .rename, .rename, .move, .move, .renameFolder, .replace, .save, .list]
        case .removals:
            [.make, .change, .remove, .remove, .removeFolder, .removeTree, .makeAgain, .makeFolder, .rename]
        case .listings: [.list, .list, .read, .putNew, .putNew, .takeAway, .moveThere, .expireAnchors, .make, .rename]
        case .downloads: [.read, .read, .read, .evict, .evict, .put, .overwrite, .list]
        case .tags: [.tag, .tag, .tag, .untag, .favor, .favor, .make, .change, .rename, .move, .renameFolder, .remove]
        case .trash:
            [
                .trash, .trash, .trash, .untrash, .untrash, .emptyTrash, .removeForGood, .tag, .makeAgain, .change,
                .move,
                .renameFolder, .remove,
            ]
        case .attributes:
            [
                .setMode, .setMode, .setDate, .setDate, .setAttribute, .setAttribute, .removeAttribute, .open, .change,
                .append, .save, .rename, .move, .renameFolder, .evict, .read,
            ]
        case .parts: [.readPart, .readPart, .readPart, .readPart, .evict, .putLarge, .open, .read]
        }
    }

    /// What is done in the end in any case: nothing else comes to some of the steps.
    var certainDeeds: [Deed] {
        switch self {
        case .trash: [.trash, .untrash, .trash, .removeForGood]
        case .attributes: [.open]
        case .parts: [.evict, .readPart]
        default: []
        }
    }

    var length: Int {
        switch self {
        case .uploads, .renames, .removals, .tags, .trash, .attributes: 12
        case .listings, .downloads: 10
        case .parts: 8
        }
    }

    /// How many items a page of the service has.
    var pageLimit: Int { self == .listings ? 6 : 1000 }

    /// Whether the provider gives parts of files.
    var givesParts: Bool { self == .parts }
}

/// A scenario as one seed has it.
package struct Course: Sendable {
    /// What the service has at first.
    let before: [String: String]
    let operations: [Operation]
    /// What is there in the end, here and at the service.
    package let after: [String: String]
    /// What lies in the trash then, by paths as the service has them.
    let trash: [String: String]
    /// Which tags items have then, and which are favorites; of those in the trash too.
    let marks: [String: String]
    /// What was set on this machine of items that are there then.
    let attributes: [String: SetAttributes]
    /// Everything that a file may be as a whole, at one time or another.
    let texts: Set<String>

    package init(_ scenario: Scenario, seed: UInt64) {
        var writer = CourseWriter(scenario, seed: seed)
        before = writer.tree
        for _ in 0..<scenario.length { writer.write() }
        writer.writeCertain()
        operations = writer.operations
        after = writer.tree
        trash = writer.trashTree
        marks = writer.markWords
        attributes = writer.attributes
        texts = writer.texts
    }

    /// Every tag that is given to something.
    var tags: Set<String> {
        operations.reduce(into: []) { tags, operation in
            if case .tag(_, let added, _) = operation { tags.formUnion(added) }
        }
    }

    /// What is done, in words.
    package var words: [String] { operations.map(\.description) }
}
