import FileProvider
import LinuxSystem

/// What the engine knows of edits that are on their way to the provider.
///
/// What has to survive a crash is in the journal and in the index, not here.
struct EditState {
    /// What is to be looked at, and when.
    var queue = TimeQueue()
    /// Items of which a step is under way; there is never more than one step of an item.
    var running: [ItemNumber: Task<Void, Never>] = [:]
    /// Items to be looked at as soon as their step has ended, because something was done to them meanwhile.
    var again: Set<ItemNumber> = []
    /// Who waits until something becomes of an item.
    var waiters: [ItemNumber: Set<ItemNumber>] = [:]
    /// And for whom.
    var waitsFor: [ItemNumber: ItemNumber] = [:]
    /// How often contents were edited since the start; what is not there was not.
    var generations: [ItemNumber: UInt64] = [:]
    /// Contents that the provider took and has not confirmed yet.
    var sent: [ItemNumber: SentContents] = [:]
    /// Failures in a row.
    var attempts: [ItemNumber: Int] = [:]
    /// Why an item was not sent, the last time.
    var failures: [ItemNumber: ProviderFailure] = [:]
    /// Deletions that the provider refused, so that the items came back, and conflicts: what a person may want to know.
    var events: [EditEvent] = []
    /// The clock's call for the next look.
    var wake: (time: Double, waiting: Waiting)?
    var pauses = Pauses()
    var generator = SystemRandomNumberGenerator()
    /// Once ``DomainEngine/recoverEdits()`` has run.
    var folders: EditFolders?

    init() {}

    /// Steps that are under way at the same time.
    static let stepLimit = 4

    /// Contents that the provider has and the service, as far as is known, has not.
    struct SentContents {
        var generation: UInt64
        var size: Int64
        /// How often it was asked whether it has now.
        var polls: Int
    }
}

/// Something that became of an edit otherwise than was asked for.
package struct EditEvent: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The provider had other contents: the ones of this machine are in a copy, which is named here.
        case conflict(copy: String)
        /// The name was taken.
        case renamed(to: String)
        /// The provider refused the deletion: the item is back.
        case deletionRefused(ProviderFailure?)
        /// The provider removed what was edited here: it is made again.
        case madeAgain
        /// Bytes were found that no journal knows of.
        case recovered
    }

    package var number: ItemNumber
    package var name: String
    package var kind: Kind
}

/// Where bytes of edited files are.
struct EditFolders: Sendable {
    let edits: FileDescriptor
    let uploads: FileDescriptor
    let content: FileDescriptor

    init(_ configuration: DomainConfiguration) throws(Errno) {
        edits = try Self.folder("edits", in: configuration.dataFolder)
        uploads = try Self.folder("uploads", in: configuration.dataFolder)
        content = try Self.folder("content", in: configuration.cacheFolder)
    }

    private static func folder(_ name: String, in parent: String) throws(Errno) -> FileDescriptor {
        var path = ""
        for part in "\(parent)/\(name)".split(separator: "/", omittingEmptySubsequences: true) {
            path += "/\(part)"
            do throws(Errno) {
                try retrying { mkdir(path, 0o700) }
            } catch {
                // What cannot be opened below is the failure.
            }
        }
        return try .open("\(parent)/\(name)", [.readOnly, .directory])
    }

    /// The name of an item's file in each of them.
    static func name(_ number: ItemNumber) -> String { String(number.rawValue) }

    /// What was sent before what is sent now.
    static func earlierName(_ number: ItemNumber) -> String { "\(number.rawValue).before" }

    func removeUploads(of number: ItemNumber) {
        try? UploadCopy.remove(Self.name(number), in: uploads)
        try? UploadCopy.remove(Self.earlierName(number), in: uploads)
    }

    /// Removes an item's bytes; who has them open keeps them.
    func removeAll(of number: ItemNumber) {
        removeUploads(of: number)
        try? UploadCopy.remove(Self.name(number), in: edits)
        try? UploadCopy.remove(Self.name(number), in: content)
    }
}
