import ExtensionHost

extension Recorded {
    /// The messages between clients and the daemon about extensions.
    static let hosts: [Recorded] = [
        Recorded(RunExtensionCall(identifier: "i", socket: descriptor), "bf0061690100ff"),
        Recorded(
            RunInterfaceCall(domain: "d", identifier: "i", socket: descriptor, display: nil),
            "bf0061640161690200ff"),
        Recorded(ExtensionEnding(.signalled, status: 9, lastLines: ["a", "b"]), "bf00010109028261616162ff"),
        Recorded(ExtensionEnding(.exited, status: -1, lastLines: []), "bf000001200280ff"),
        Recorded(
            DisplayConnection(.x11, name: ":1", socket: descriptor, authority: [1, 2]), "bf000101623a31020003420102ff"),
        Recorded(DisplayConnection(.wayland, socket: descriptor), "bf0000016002000340ff"),
    ]
}
