import Foundation

/// The version of an item: one for its contents and one for everything else, each at most 128 bytes that mean something to the
/// provider only.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
open class NSFileProviderItemVersion: NSObject {
    private let contents: Data
    private let metadata: Data

    /// A version of these parts.
    ///
    /// - Parameters:
    ///   - contentVersion: another one means other contents.
    ///   - metadataVersion: another one means another name, parent, date or the like.
    public init(contentVersion: Data, metadataVersion: Data) {
        contents = contentVersion
        metadata = metadataVersion
        super.init()
    }

    /// A version of empty parts.
    public override convenience init() { self.init(contentVersion: Data(), metadataVersion: Data()) }

    /// What the system names as the version of something that it and the provider never agreed upon.
    open class var beforeFirstSyncComponent: Data { Data("NSFileProviderItemVersionBeforeFirstSync".utf8) }

    /// The version of the contents.
    open var contentVersion: Data { contents }
    /// The version of everything else.
    open var metadataVersion: Data { metadata }

    /// Whether both parts are the same.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFileProviderItemVersion else { return false }
        return contentVersion == other.contentVersion && metadataVersion == other.metadataVersion
    }

    /// Of both parts.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(contentVersion)
        hasher.combine(metadataVersion)
        return hasher.finalize()
    }
}
