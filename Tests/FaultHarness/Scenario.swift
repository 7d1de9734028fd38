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

    /// What a step of a scenario may be.
    enum Deed: Sendable {
        case make, makeLarge, makeFolder, makeLink, change, overwrite, append, save
        case rename, move, renameFolder, replace
        case remove, removeFolder, removeTree, makeAgain
        case list, read, evict
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
        }
    }

    var length: Int {
        switch self {
        case .uploads, .renames, .removals: 12
        case .listings, .downloads: 10
        }
    }

    /// How many items a page of the service has.
    var pageLimit: Int { self == .listings ? 20 : 1000 }
}

/// A scenario as one seed has it.
package struct Course: Sendable {
    /// What the service has at first.
    let before: [String: String]
    let operations: [Operation]
    /// What is there in the end, here and at the service.
    package let after: [String: String]
    /// Everything that a file may be as a whole, at one time or another.
    let texts: Set<String>

    package init(_ scenario: Scenario, seed: UInt64) {
        var writer = CourseWriter(scenario, seed: seed)
        before = writer.tree
        for _ in 0..<scenario.length { writer.write() }
        operations = writer.operations
        after = writer.tree
        texts = writer.texts
    }

    /// What is done, in words.
    package var words: [String] { operations.map(\.description) }
}
