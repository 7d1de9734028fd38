/// The behaviour of the hostile extension's program, encoded in its file name: `provider-7-200` is a provider that
/// sends 200 packets, which the seed 7 determines.
///
/// The file name is used because a confined process has no arguments, and its host sends no message before the process
/// may misbehave.
package struct HostileRole: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// An extension that carries out the commands that the test sends over the socket of the extension call.
        case told
        /// An extension that attacks the program that requested it.
        case called
        /// A file provider.
        case provider
        /// A program that replaces `purvey-pictures`.
        case pictures
    }

    package let kind: Kind
    package let seed: UInt64
    package let packets: Int

    package init(_ kind: Kind, seed: UInt64 = 0, packets: Int = 0) {
        (self.kind, self.seed, self.packets) = (kind, seed, packets)
    }

    /// - Parameter program: the path of the program's file.
    package init?(program: String) {
        let words = program.split(separator: "/").last?.split(separator: "-") ?? []
        guard words.count == 3, let kind = Kind(rawValue: String(words[0])), let seed = UInt64(words[1]),
            let packets = Int(words[2])
        else { return nil }
        self.init(kind, seed: seed, packets: packets)
    }

    /// The name of the program's file.
    package var name: String { "\(kind.rawValue)-\(seed)-\(packets)" }
}
