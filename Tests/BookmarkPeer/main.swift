// Another process of the same user, for tests of bookmarks across processes. `make PATH` prints a bookmark in base
// 64, `make-plain PATH` one without security scope, `make-for BUNDLE PATH` one for a bundle. `resolve BOOKMARK`
// prints its path and whether it is stale. If BOOKMARK_PEER_USER is a number, the process runs as that user.
import FileCoordination
import Foundation
import Glibc

func run(_ words: [String]) throws -> String {
    switch words.first {
    case "make":
        return try URL(fileURLWithPath: words[1]).bookmarkData(includingResourceValuesForKeys: [.fileSizeKey])
            .base64EncodedString()
    case "make-plain":
        return try URL(fileURLWithPath: words[1]).bookmarkData(options: .withoutImplicitSecurityScope)
            .base64EncodedString()
    case "make-for":
        return try URL(fileURLWithPath: words[2]).bookmarkData(forBundle: words[1]).base64EncodedString()
    case "resolve":
        var isStale = false
        let url = try URL(
            resolvingBookmarkData: Data(base64Encoded: words[1]) ?? Data(), bookmarkDataIsStale: &isStale)
        return "\(isStale ? "stale" : "current") \(url.path)"
    default: return "unknown"
    }
}

let words = Array(CommandLine.arguments.dropFirst())
/// The number of arguments of each command, including the command's name.
let lengths = ["make": 2, "make-plain": 2, "make-for": 3, "resolve": 2]
guard let command = words.first, lengths[command] == words.count else {
    let usage = "usage: BookmarkPeer make|make-plain PATH | make-for BUNDLE PATH | resolve BOOKMARK\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(2)
}
if let user = ProcessInfo.processInfo.environment["BOOKMARK_PEER_USER"].flatMap({ uid_t($0) }), setuid(user) != 0 {
    print("error no such user")
    exit(1)
}
do {
    print(try run(words))
} catch let error as CocoaError {
    print("error \(error.code.rawValue)")
}
