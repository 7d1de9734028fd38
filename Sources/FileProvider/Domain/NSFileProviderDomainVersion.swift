import Foundation

/// A version of a provider's state of a whole domain. Versions only increase.
///
/// Source: FileProvider, `NSFileProviderDomain.h`.
open class NSFileProviderDomainVersion: NSObject, NSSecureCoding {
    /// The version's number, at least 0.
    package let number: Int64
    private static let key = "version"

    /// Creates the first version.
    public override init() {
        number = 0
        super.init()
    }

    package init(number: Int64) {
        self.number = max(0, number)
        super.init()
    }

    /// Decodes a version from an archive.
    public required init?(coder: NSCoder) {
        let number = coder.decodeInt64(forKey: Self.key)
        guard number >= 0 else { return nil }
        self.number = number
        super.init()
    }

    /// Encodes the version into an archive.
    open func encode(with coder: NSCoder) { coder.encode(number, forKey: Self.key) }

    /// Whether the class supports secure coding; always true.
    open class var supportsSecureCoding: Bool { true }

    /// Returns the next version.
    open func next() -> NSFileProviderDomainVersion {
        NSFileProviderDomainVersion(number: number == .max ? number : number + 1)
    }

    /// Whether both versions are equal.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSFileProviderDomainVersion)?.number == number
    }

    /// The hash of the number.
    open override var hash: Int { number.hashValue }

    /// The version's number.
    open override var description: String { "\(number)" }
}

extension NSFileProviderDomainVersion: Comparable {
    /// Whether the first version is older.
    public static func < (lhs: NSFileProviderDomainVersion, rhs: NSFileProviderDomainVersion) -> Bool {
        lhs.number < rhs.number
    }
}
