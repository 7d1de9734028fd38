/// The options of a file that a provider offers.
public struct NSItemProviderFileOptions: OptionSet, Sendable {
    /// The bits of the set; `openInPlace` is 1.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The consumer may get the original file instead of a copy.
    public static let openInPlace = NSItemProviderFileOptions(rawValue: 1)
}
