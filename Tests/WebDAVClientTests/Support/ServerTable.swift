import WebDAVClient

/// The cells of the tables in Documentation/WebDAV.md, without the name of the server.
enum ServerTable {
    /// The protections that follow from the probe.
    static func protection(_ profile: DAVServerProfile) -> String {
        [profile.writing, profile.moving, profile.replacing, profile.removing].map(\.rawValue).joined(separator: " | ")
    }

    /// The behaviour that the probe has seen, except what depends on the moment.
    static func behaviour(_ profile: DAVServerProfile) -> String {
        [
            profile.putIfMatch.rawValue, profile.putIfNoneMatch.rawValue, profile.moveIfMatch.rawValue,
            profile.moveWithoutOverwriting.rawValue, profile.deleteIfMatch.rawValue, profile.locking.rawValue,
            tags(profile), profile.sendsRanges ? "yes" : "no", profile.honoursDepth ? "yes" : "no", dates(profile),
            profile.quota?.available == nil && profile.quota?.used == nil ? "no" : "yes",
        ].joined(separator: " | ")
    }

    private static func tags(_ profile: DAVServerProfile) -> String {
        let kind =
            switch profile.tagging {
            case .strong: "strong"
            case .weakAtFirst: "weak at first"
            case .weak: "weak"
            case .absent: "none"
            }
        guard profile.tagging != .absent else { return kind }
        return kind + (profile.listsTags ? "" : ", not in listings") + (profile.repliesWithTag ? "" : ", not for PUT")
    }

    private static func dates(_ profile: DAVServerProfile) -> String {
        profile.takesDateOnUpload ? "on upload" : profile.takesDateByProperty ? "later" : "no"
    }
}
