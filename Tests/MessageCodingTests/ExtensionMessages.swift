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
    ]
}
