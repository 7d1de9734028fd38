/// The sets of items of a domain that its provider's own programs can list.
package enum ItemSet: UInt8, Sendable {
    /// The items that are local: files with their contents, and listed directories.
    case materialized = 0
    /// The items with local changes that the provider does not have yet.
    case pending = 1
}
