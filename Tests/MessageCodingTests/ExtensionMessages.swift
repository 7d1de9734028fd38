import AppExtension

extension Recorded {
    /// The messages between hosts and their extensions.
    static let extensions: [Recorded] = [
        Recorded(OpenAttachmentCall(identifier: identifier), "bf00500102030405060708090a0b0c0d0e0fffff"),
        Recorded(OpenAttachmentCall.Reply(socket: descriptor), "bf0000ff"),
        Recorded(OpenAttachmentCall.Reply(socket: nil), "bfff"),
        Recorded(OpenURLCall(url: "a"), "bf006161ff"),
        Recorded(OpenURLCall(url: ""), "bf0060ff"),
        Recorded(OpenURLCall.Reply(wasOpened: true), "bf00f5ff"),
        Recorded(OpenURLCall.Reply(wasOpened: false), "bf00f4ff"),
        Recorded(HostNotice(name: "a"), "bf006161ff"),
        Recorded(HostNotice(name: ""), "bf0060ff"),
        Recorded(BeginRequestCall.self, "bf0081bf00410101400241020380ffff"),
        Recorded(BeginRequestCall.self, "bf0081bf0380ffff"),
        Recorded(BeginRequestCall.self, "bf0080ff"),
        Recorded(BeginRequestCall.Reply.self, "bf0080ff"),
        Recorded(BeginRequestCall.Reply.self, "bf01bf006164010102616dffff"),
    ]
}
