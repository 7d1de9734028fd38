extension DAVServerProfile {
    /// One line for each finding, for users.
    public var findings: [String] {
        let claims = classes.isEmpty ? "unannounced" : classes.filter { Int($0) != nil }.joined(separator: ", ")
        var lines = ["Server: \(server ?? "unnamed"), WebDAV \(claims)"]
        lines.append("Writes are protected by \(writing.words)")
        if moving != writing { lines.append("Moves are protected by \(moving.words)") }
        if replacing != moving { lines.append("Replacing by a move is protected by \(replacing.words)") }
        if removing != writing { lines.append("Removals are protected by \(removing.words)") }
        lines.append("If-Match on PUT: \(putIfMatch.rawValue)")
        lines.append("If-None-Match on PUT: \(putIfNoneMatch.rawValue)")
        lines.append("If-Match on MOVE: \(moveIfMatch.rawValue)")
        lines.append("Overwrite: F on MOVE: \(moveWithoutOverwriting.rawValue)")
        lines.append("Tag of the destination on MOVE: \(moveIfDestinationMatches.rawValue)")
        lines.append("If-Match on DELETE: \(deleteIfMatch.rawValue)")
        lines.append("Locks: \(locking.rawValue)")
        if locking == .enforced, !movesUnderLock || !replacesUnderLock {
            lines.append(
                "Locked files cannot be \(movesUnderLock ? "replaced by a move" : "moved"), even with the lock")
        }
        let place = tagging == .absent ? "" : listsTags ? ", in listings" : ", not in listings"
        lines.append("Entity tags: \(tagging.words)\(place)")
        if let isSeen = distinguishesQuickChanges {
            lines.append("Changes within a second: \(isSeen ? "seen by the tag" : "not seen, if the size is the same")")
        }
        lines.append("Tag in the reply to PUT: \(repliesWithTag ? "yes" : "no")")
        lines.append("Ranges: \(sendsRanges ? "sent" : "ignored, whole files are sent")")
        if let honoursIfRange { lines.append("If-Range: \(honoursIfRange ? "honoured" : "ignored")") }
        lines.append("Depth of listings: \(honoursDepth ? "honoured" : "ignored, whole trees are sent")")
        lines.append("Quota: \(quota.map(\.words) ?? "unknown")")
        lines.append("Dates of files: \(dates)")
        lines.append("Names in decomposed form (NFD): \(naming.words)")
        lines.append("Names with #, %, + and spaces: \(keepsSpecialNames ? "kept" : "refused or changed")")
        lines.append("Names that differ in case: \(distinguishesCase ? "different" : "the same")")
        if listsHiddenFiles == false {
            lines.append("Files whose names begin with a dot are kept but not listed: those of others are not seen")
        }
        lines.append("Copies at the server: \(copies ? "yes" : "no")")
        if !removesTrees { lines.append("Folders are only removed when they are empty") }
        if makesParents { lines.append("The server creates missing folders by itself") }
        if !refusesExistingDirectories { lines.append("Making a folder that exists is not an error") }
        if let clockOffset, clockOffset.magnitude > 2 {
            lines.append("Clock: \(clockOffset.magnitude) seconds \(clockOffset < 0 ? "behind" : "ahead")")
        }
        if let remains { lines.append("The server did not remove the folder of this check: remove “\(remains)”") }
        return lines
    }

    private var dates: String {
        switch (takesDateOnUpload, takesDateByProperty) {
        case (true, true): "set on upload and later"
        case (true, false): "set on upload"
        case (false, true): "set after upload"
        case (false, false): "the server's own"
        }
    }
}

extension DAVServerProfile.Protection {
    /// The protection in a few words, for users.
    public var words: String {
        switch self {
        case .conditions: "conditions"
        case .locks: "locks, because conditions are not honoured"
        case .exchange: "moves to free names, because neither conditions nor locks are honoured"
        case .comparison: "comparison only, because the server offers nothing better"
        }
    }
}

extension DAVServerProfile.Tagging {
    fileprivate var words: String {
        switch self {
        case .strong: "strong"
        case .weakAtFirst: "weak while a file is young"
        case .weak: "weak"
        case .absent: "none"
        }
    }
}

extension DAVServerProfile.Naming {
    fileprivate var words: String {
        switch self {
        case .kept: "kept"
        case .composed: "changed to the composed form (NFC)"
        case .refused: "refused"
        }
    }
}

extension DAVQuota {
    fileprivate var words: String {
        let free = available.map { "\($0) bytes free" } ?? "unlimited or unknown"
        return used.map { "\(free), \($0) bytes used" } ?? free
    }
}
