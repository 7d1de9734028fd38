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
        Recorded(ItemTrace.self, "bf00bf000101020203030104420102052006f5ff016161ff"),
        Recorded(ItemTrace.self, "bf00bf0001010206f4ff01616102f93e00ff"),
        Recorded(
            Bookmark.self,
            "bf0001010202bf000101020203030104420102052006f5ff03617004616905bf0001010206f4ff06617207bf00"
                + "616201f5026173ff0889bf00616b0100026174ffbf00616b01010305ffbf00616b010204f93e00ffbf00616b01"
                + "030301ffbf00616b010404f93e00ffbf00616b0105054101ffbf00616b0106026174ffbf00616b010706816174"
                + "ffbf00616b0103054101ffff"),
        Recorded(Bookmark.self, "bf0000010202bf0001010206f4ff036170ff"),
    ]
}
