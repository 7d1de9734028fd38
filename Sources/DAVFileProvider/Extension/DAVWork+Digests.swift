import HTTPTransport
import LinuxSystem
import WebDAVClient

/// Computes digests of file contents. They are needed where different contents can have the same version.
extension DAVWork {
    /// The minimum size in bytes of files whose digest is computed after the reply to the system, because the
    /// computation takes long.
    private static let largeSize = 8 << 20

    /// Records the digest of contents if a later change could result in the same version: a change within the same
    /// second, or a change whose date a client sets.
    ///
    /// - Parameters:
    ///   - isHandedOver: whether the file is passed to the system, together with the item in this version. The file is
    ///     truncated to `length`, because an earlier attempt may have received more bytes.
    ///   - isSealed: whether the file already has the length `length` and cannot be changed.
    func noteContents(
        _ file: FileDescriptor, _ length: Int, of item: CataloguedItem, isRacy: Bool, isHandedOver: Bool = false,
        isSealed: Bool = false
    ) async throws {
        let profile = account.profile
        let isUncertain = !profile.distinguishesAllChanges && (isRacy || profile.takesDateOnUpload)
        let (number, version) = (item.number, item.contentVersion)
        let isLate = isUncertain && length >= Self.largeSize
        // All steps run in one call, because each change of threads takes time, which adds up for many small files.
        try await Blocking.run { [account] in
            if isHandedOver, !isSealed { try file.truncate(to: length) }
            // Until the digest is known, no contents match it. If this process ends before that, an edit is treated as
            // a conflict, and both versions are kept.
            let digest: [UInt8]? =
                isLate ? ContentDigest.unknown : isUncertain ? try ContentDigest.digest(of: file, length) : nil
            try account.catalogue.performNow { catalogue in
                try catalogue.note(digest: digest, of: number, version: version)
                if isHandedOver { try catalogue.note(told: [item]) }
            }
        }
        guard isLate else { return }
        digests.begin(number) { [account] in
            guard let digest = try? await Blocking.run({ try ContentDigest.digest(of: file, length) }) else { return }
            try? await account.catalogue.perform { catalogue in
                // The contents of the file may have been replaced meanwhile.
                guard try catalogue.digest(of: number, version: version) == ContentDigest.unknown else { return }
                try catalogue.note(digest: digest, of: number, version: version)
            }
        }
    }

    /// Returns the digest of the contents in the given version; `nil` if the version alone identifies the contents.
    func digest(of number: Int64, version: String) async throws -> [UInt8]? {
        await digests.wait(for: number)
        return try await account.catalogue.perform { try $0.digest(of: number, version: version) }
    }
}

extension DAVServerProfile {
    /// Whether any two states of a file have different versions.
    var distinguishesAllChanges: Bool { tagging != .absent && listsTags && distinguishesQuickChanges == true }
}

/// The digests that are being computed, by item number.
final class PendingDigests: Sendable {
    // Leaf lock.
    private let tasks = Lock<[Int64: Task<Void, Never>]>([:])

    /// Starts a computation. The computation begins after an earlier computation for the same item has ended.
    func begin(_ number: Int64, _ body: @escaping @Sendable () async -> Void) {
        tasks.withLock { tasks in
            let earlier = tasks[number]
            let task = Task {
                await earlier?.value
                await body()
            }
            tasks[number] = task
            Task { [weak self] in
                await task.value
                self?.tasks.withLock { if $0[number] == task { $0[number] = nil } }
            }
        }
    }

    /// Waits until no computation runs for an item.
    func wait(for number: Int64) async { await tasks.withLock { $0[number] }?.value }
}

/// Digests of local files.
enum ContentDigest {
    /// The placeholder for a digest that is not known yet.
    static let unknown: [UInt8] = []

    /// Returns a digest of the first bytes of a file. Blocks.
    static func digest(of file: FileDescriptor, _ length: Int) throws(Errno) -> [UInt8] {
        do {
            return Array(try MessageDigest.hexadecimal(.sha256, of: file, 0..<length).utf8)
        } catch .file(let error) {
            throw error
        } catch {
            throw .inputOutput
        }
    }
}
