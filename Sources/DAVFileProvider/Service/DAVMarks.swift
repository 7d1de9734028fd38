import FileProvider
import Foundation

/// The user metadata of an item: tags, favourite rank and last-used date.
public struct DAVMarks: Sendable {
    /// The fields that were changed.
    public let fields: NSFileProviderItemFields
    /// The rank among the favorites; `nil` for none.
    public let favoriteRank: UInt64?
    /// The tags, in the form of ``NSFileProviderItemProtocol/tagData``; `nil` for none.
    public let tagData: Data?
    /// The date of the last use; `nil` if it is unknown.
    public let lastUsed: Date?

    init(_ item: any NSFileProviderItem, _ fields: NSFileProviderItemFields) {
        self.fields = fields.intersection([.favoriteRank, .tagData, .lastUsedDate])
        favoriteRank = (item.favoriteRank ?? nil)?.uint64Value
        tagData = item.tagData ?? nil
        lastUsed = item.lastUsedDate ?? nil
    }
}
