/// The part that the hostile extension's program plays. The name of its file says so: `provider-7-200` is a provider
/// that sends 200 packets of the seed 7.
///
/// A confined process has no arguments, and a host says nothing to it before it may misbehave.
package struct HostileRole: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// An extension that does what the test tells it over the socket of the extension call.
        case told
        /// An extension that misbehaves towards the program that has it run.
        case called
        /// A file provider.
        case provider
        /// A program in the place of `purvey-pictures`.
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
