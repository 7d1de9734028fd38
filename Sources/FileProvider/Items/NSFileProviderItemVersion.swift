import Foundation

/// The version of an item. It consists of a version of the contents and a version of the metadata, each at most 128
/// bytes. Only the provider interprets these bytes.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
open class NSFileProviderItemVersion: NSObject {
    private let contents: Data
    private let metadata: Data

    /// Creates a version.
    ///
    /// - Parameters:
    ///   - contentVersion: differs if the contents differ.
    ///   - metadataVersion: differs if the name, the parent, a date or other metadata differ.
    public init(contentVersion: Data, metadataVersion: Data) {
        contents = contentVersion
        metadata = metadataVersion
        super.init()
    }

    /// Creates a version whose parts are both empty.
    public override convenience init() { self.init(contentVersion: Data(), metadataVersion: Data()) }

    /// The value of either part for an item that the system and the provider have never synchronized.
    open class var beforeFirstSyncComponent: Data { Data("NSFileProviderItemVersionBeforeFirstSync".utf8) }

    /// The version of the contents.
    open var contentVersion: Data { contents }
    /// The version of the metadata.
    open var metadataVersion: Data { metadata }

    /// Whether both parts are equal.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFileProviderItemVersion else { return false }
        return contentVersion == other.contentVersion && metadataVersion == other.metadataVersion
    }

    /// The hash of both parts.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(contentVersion)
        hasher.combine(metadataVersion)
        return hasher.finalize()
    }
}
