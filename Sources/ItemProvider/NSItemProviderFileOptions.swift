/// What a provider allows for a file that it offers.
public struct NSItemProviderFileOptions: OptionSet, Sendable {
    /// The bits of the set; `openInPlace` is 1.
    public let rawValue: Int

    /// A set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The consumer may be given the original file instead of a copy.
    public static let openInPlace = NSItemProviderFileOptions(rawValue: 1)
}
