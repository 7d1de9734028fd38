import Foundation

/// A version of what a provider says of a whole domain. It can only grow.
///
/// Source: FileProvider, `NSFileProviderDomain.h`.
open class NSFileProviderDomainVersion: NSObject, NSSecureCoding {
    /// From 0 on.
    package let number: Int64
    private static let key = "version"

    /// The first one.
    public override init() {
        number = 0
        super.init()
    }

    package init(number: Int64) {
        self.number = max(0, number)
        super.init()
    }

    /// Reads one from an archive.
    public required init?(coder: NSCoder) {
        let number = coder.decodeInt64(forKey: Self.key)
        guard number >= 0 else { return nil }
        self.number = number
        super.init()
    }

    /// Writes it to an archive.
    open func encode(with coder: NSCoder) { coder.encode(number, forKey: Self.key) }

    /// It can be archived securely.
    open class var supportsSecureCoding: Bool { true }

    /// One that is greater.
    open func next() -> NSFileProviderDomainVersion {
        NSFileProviderDomainVersion(number: number == .max ? number : number + 1)
    }

    /// Whether they are the same.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSFileProviderDomainVersion)?.number == number
    }

    /// Of the version.
    open override var hash: Int { number.hashValue }

    /// The version's number.
    open override var description: String { "\(number)" }
}

extension NSFileProviderDomainVersion: Comparable {
    /// Whether the first one is older.
    public static func < (lhs: NSFileProviderDomainVersion, rhs: NSFileProviderDomainVersion) -> Bool {
        lhs.number < rhs.number
    }
}
