/// The kind of operations during which a fault occurs. A seed determines the files.
package enum Scenario: String, CaseIterable, Sendable {
    /// Files are created, written, appended to and saved by rename.
    case uploads
    /// Directories and files are created, renamed, moved and replaced by a rename.
    case renames
    /// Files, directories and trees are removed, and created again with the same names.
    case removals
    /// A directory with many pages is listed while another client changes it.
    case listings
    /// Files are read, evicted and read again while another client writes them.
    case downloads
    /// Files and directories get and lose tags, and become favorites or stop being favorites, while they are changed
    /// and moved.
    case tags
    /// Files and directories are trashed, restored, or permanently removed from the trash.
    case trash
    /// Files and directories get modes, dates and attributes, while files are changed, renamed and moved. Some files
    /// are opened for writing without being changed.
    case attributes
    /// Parts of large files are read while another client writes them.
    case parts

    /// The kinds of operations of a scenario.
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

    /// The kinds of operations. A kind that occurs several times is more likely.
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

    /// The operations that every course contains, because no others reach some of the steps.
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

    /// The maximum number of items in a page of the service.
    var pageLimit: Int { self == .listings ? 6 : 1000 }

    /// Whether the provider serves parts of files.
    var givesParts: Bool { self == .parts }
}

/// The operations of a scenario for one seed.
package struct Course: Sendable {
    /// The service's initial tree.
    let before: [String: String]
    let operations: [Operation]
    /// The final tree, both local and at the service.
    package let after: [String: String]
    /// The final items in the trash, by their paths at the service.
    let trash: [String: String]
    /// The final tags and favorites in words, including those in the trash.
    let marks: [String: String]
    /// The attributes that were set locally on items in the final tree.
    let attributes: [String: SetAttributes]
    /// All complete contents that any file may have at some time.
    let texts: Set<String>

    package init(_ scenario: Scenario, seed: UInt64, _ model: TrialModel = .documents) {
        var writer = CourseWriter(scenario, seed: seed, hasLinks: !model.isServer)
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

    /// All tags that are given to any item.
    var tags: Set<String> {
        operations.reduce(into: []) { tags, operation in
            if case .tag(_, let added, _) = operation { tags.formUnion(added) }
        }
    }

    /// The descriptions of the operations.
    package var words: [String] { operations.map(\.description) }
}
