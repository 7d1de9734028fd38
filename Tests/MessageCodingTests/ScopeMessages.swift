import Conduit
import FileCoordination

extension Recorded {
    /// The messages between confined processes and the daemon about security scopes.
    static let scopes: [Recorded] = [
        Recorded(ResolveScopeCall(bookmark: ByteString([1, 255]), base: descriptor), "bf004201ff0100ff"),
        Recorded(ResolveScopeCall(bookmark: ByteString([]), base: nil), "bf0040ff"),
        Recorded(
            ResolveScopeCall.Reply(token: 1, path: "/p", isDirectory: true, isStale: false),
            "bf000101622f7002f503f4ff"),
        Recorded(
            ResolveScopeCall.Reply(token: 0, path: "", isDirectory: false, isStale: true),
            "bf0000016002f403f5ff"),
        Recorded(BeginAccessCall(token: 300), "bf0019012cff"),
        Recorded(BeginAccessCall.Reply(item: descriptor), "bf0000ff"),
        Recorded(EndAccessCall(token: 300), "bf0019012cff"),
        Recorded(
            RenewBookmarkCall(token: 1, options: 300, base: descriptor, keys: ["a", "b"]),
            "bf00010119012c0200038261616162ff"),
        Recorded(RenewBookmarkCall(token: 0, options: 0, base: nil, keys: []), "bf00000100ff"),
        Recorded(RenewBookmarkCall.Reply(bookmark: ByteString([1, 255])), "bf004201ffff"),
    ]
}
