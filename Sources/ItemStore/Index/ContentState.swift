import ItemValues

/// The local state of a file's contents.
///
/// A row of the index has one of four states. Its transitions are the functions below, and each is one transaction:
///
///     dataless ──becomePartial──▶ partial ──becomePartial──▶ partial      a byte range was fetched
///     dataless, partial ──settle──▶ current                               the whole file was fetched
///     current ──settle──▶ current                                         the open file grew
///     partial, current ──becomeDataless──▶ dataless                       evicted, replaced or lost
///     any ──becomeEdited──▶ edited                                        a program wrote to the file
///     edited ──settle──▶ current                                          the provider confirmed the edit
///     edited ──loseContents──▶ dataless                                   the edit was discarded or lost
///     any ──loseContents──▶ dataless                                      the item was removed locally
///
/// Two more states are shown to the user. They have no value of their own, because they follow from other values.
/// *Outdated* contents are ``current`` or ``partial``, with an ``IndexedItem/localVersion`` that is not the provider's.
/// An edit is *uploading* while a request for it runs.
///
/// Files that are open for writing are ``current``. They lie in the `edits` directory until they are compared with
/// their earlier state; the journal records them.
///
/// The files on disk move before the index is written. After a crash in between, contents may exist without a record,
/// which recovery detects. A record never exists without its contents, unless they can be fetched again.
package enum ContentState: UInt8, Sendable {
    /// No bytes are local.
    case dataless = 0
    /// Some byte ranges are local.
    case partial = 1
    /// All bytes are local. They equal the provider's version, as far as the engine knows.
    case current = 2
    /// All bytes are local and were edited, and the provider has not confirmed the edit. They are never overwritten and
    /// never evicted.
    case edited = 3
}

extension IndexedItem {
    /// Whether all of a file's bytes are local.
    package var hasAllBytes: Bool { content == .current || content == .edited }

    /// Whether the provider has all local changes of the item.
    package var isUploaded: Bool {
        changes.isEmpty && content != .edited && (item.flags.contains(.uploaded) || item.kind != .file)
    }

    /// Marks the file as dataless, because its clean contents were removed.
    package mutating func becomeDataless() {
        content = .dataless
        localSize = 0
        localVersion = []
        parts = ByteRanges()
    }

    /// Marks byte ranges of the file as local.
    ///
    /// - Parameters:
    ///   - ranges: The local ranges to record. If there are many, the caller leaves out the smallest ones.
    ///   - size: The total number of local bytes, including the ranges that were left out.
    ///   - version: The version at the provider to which the bytes belong.
    package mutating func becomePartial(_ ranges: ByteRanges, size: Int64, version: [UInt8]) {
        content = .partial
        localSize = size
        localVersion = version
        parts = ranges
    }

    /// Marks the local contents as clean.
    ///
    /// - Parameters:
    ///   - size: The size of the local contents in bytes.
    ///   - version: The version at the provider to which the contents belong.
    package mutating func settle(size: Int64, version: [UInt8]) {
        content = .current
        localSize = size
        localVersion = version
        parts = ByteRanges()
    }

    /// Marks the local contents as dirty. ``IndexedItem/localVersion`` stays the version that the edit is based on.
    ///
    /// - Parameter size: The size of the local contents in bytes.
    package mutating func becomeEdited(size: Int64) {
        content = .edited
        localSize = size
    }

    /// Marks the file as dataless after its edit was discarded or lost, or after its item was removed locally.
    /// ``IndexedItem/localVersion`` does not change.
    package mutating func loseContents() { content = .dataless }
}
