import Foundation
import Glibc
import LinuxSystem
import Secrets

/// A store of passwords in an encrypted file. The file's key is in another directory or in a keyring. Several processes
/// of a user may use one store at the same time.
///
/// Every call reads the file anew, so that the decrypted items are in memory only during the call. A lock file ensures
/// that one change is made at a time. The functions block on the disk and on this lock.
///
/// A file that cannot be decrypted is renamed and reported, and never overwritten.
package final class SecretStore: Sendable {
    private let folder: FileDescriptor
    private let items: SecretItemsFile
    private let keys: SecretKeys
    private let limits: SecretLimits
    private let now: @Sendable () -> Double
    private let report: @Sendable (SecretStoreReport) -> Void
    private let lockWait: Duration

    /// The time in microseconds between two attempts to lock the store.
    private static let pause: useconds_t = 2_000
    private static let lockName = ".lock"

    /// Opens the store in the given directories, or creates an empty store. Removes the temporary files that killed
    /// processes have left.
    ///
    /// - Parameters:
    ///   - folder: the directory of the items.
    ///   - keyFolder: another directory for the key.
    ///   - keyring: the keyring of the desktop; `nil` if there is none.
    ///   - prefersKeyring: whether the keyring is the preferred place of the key.
    ///   - lockWait: the maximum time for which a call waits for the lock. A process that was suspended while it holds
    ///     the lock must not block other processes forever.
    ///   - now: returns the current time in seconds since 1970.
    ///   - report: called with events that the user should know of, on the thread that calls the store.
    /// - Throws: `EPERM` if a directory belongs to another user, or other users can access it; `EINVAL` if both
    ///   directories are the same.
    package init(
        folder: FileDescriptor, keyFolder: FileDescriptor, limits: SecretLimits = SecretLimits(),
        keyring: (any Keyring)? = nil, prefersKeyring: Bool = false, lockWait: Duration = .seconds(10),
        now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 },
        report: @escaping @Sendable (SecretStoreReport) -> Void
    ) throws(Errno) {
        var identities: [FileStatus.Identity] = []
        for folder in [folder, keyFolder] {
            let status = try folder.status()
            guard status.kind == .directory else { throw .notDirectory }
            guard status.owner == geteuid(), status.permissions & 0o077 == 0 else { throw .notPermitted }
            identities.append(status.identity)
            TemporaryName.sweep(folder)
        }
        guard identities[0] != identities[1] else { throw .invalidArgument }
        self.folder = folder
        self.limits = limits
        self.lockWait = lockWait
        self.now = now
        self.report = report
        items = try SecretItemsFile(in: folder, report: report)
        keys = SecretKeys(
            file: try SecretKeyFile(in: keyFolder, report: report), keyring: keyring, prefersKeyring: prefersKeyring)
    }

    // MARK: Calls

    package func add(_ request: AddSecretCall, groups: AccessGroups) throws(SecretError) -> SecretItem {
        let context = context(groups)
        return try change { (table) throws(SecretError) in try table.add(request, context) }
    }

    package func find(_ request: FindSecretsCall, groups: AccessGroups) throws(SecretError) -> [SecretItem] {
        try load().find(request, context(groups))
    }

    package func update(_ request: UpdateSecretsCall, groups: AccessGroups) throws(SecretError) {
        let context = context(groups)
        try change { (table) throws(SecretError) in try table.update(request, context) }
    }

    package func remove(_ request: RemoveSecretsCall, groups: AccessGroups) throws(SecretError) {
        let context = context(groups)
        try change { (table) throws(SecretError) in try table.remove(request, context) }
    }

    private func context(_ groups: AccessGroups) -> SecretTable.Context {
        SecretTable.Context(groups: groups, limits: limits, now: now())
    }

    // MARK: Files

    /// The result of reading the items file and its key.
    private enum Loaded {
        case table(SecretTable, key: PlacedKey?)
        case keyDamaged(hasItems: Bool)
        case keyMissing
        case itemsDamaged
    }

    private func read() throws(SecretError) -> Loaded {
        let sealed: SecretItemsFile.Contents
        do throws(PrivateFile.Unusable) {
            // The items are read before the key. A key is written before the first items that it encrypts. Therefore
            // the key of items that were found is on disk, too.
            sealed = try items.read(limits)
            guard case .sealed(_, keyIn: .keyring) = sealed else { return try readWithKeyFile(sealed) }
        } catch {
            throw .inputOutput
        }
        guard case .sealed(let bytes, keyIn: .keyring(let identifier)) = sealed else { throw .inputOutput }
        return Self.open(bytes, try keys.key(identifier))
    }

    private func readWithKeyFile(_ sealed: SecretItemsFile.Contents) throws(PrivateFile.Unusable) -> Loaded {
        switch (try keys.file.read(), sealed) {
        case (.none, .none): .table(SecretTable(), key: nil)
        case (.none, .sealed): .keyMissing
        case (.damaged, .none): .keyDamaged(hasItems: false)
        case (.damaged, .sealed): .keyDamaged(hasItems: true)
        case (.key(let key), .none): .table(SecretTable(), key: PlacedKey(bytes: key, place: .file))
        case (.key(let key), .sealed(let bytes, _)): Self.open(bytes, PlacedKey(bytes: key, place: .file))
        }
    }

    private static func open(_ sealed: SecretBytes, _ key: PlacedKey) -> Loaded {
        SecretItemsFile.open(sealed, key: key).map { .table($0, key: key) } ?? .itemsDamaged
    }

    /// Reads the items. Reading needs no lock, because the file is replaced atomically. The lock is acquired only to
    /// rename a damaged file, or if another call has moved the key in the meantime.
    private func load() throws(SecretError) -> SecretTable {
        do throws(SecretError) {
            if case .table(let table, _) = try read() { return table }
        } catch .keyNotInKeyring {
            // Another call may have moved the key to its file meanwhile.
        }
        let lock = try takeLock()
        defer { withExtendedLifetime(lock) {} }
        return try loadRepaired().table
    }

    /// Reads the items, and renames damaged files. The caller must hold the lock.
    private func loadRepaired() throws(SecretError) -> (table: SecretTable, key: PlacedKey?) {
        let loaded = try read()
        do throws(PrivateFile.Unusable) {
            switch loaded {
            case .table(let table, let key): return (table, key)
            case .itemsDamaged: try items.setAside { .itemsDamaged(keptAs: $0) }
            case .keyMissing: try items.setAside { .keyMissing(keptAs: $0) }
            case .keyDamaged(let hasItems):
                // The items are set aside first. Otherwise, after a crash in between, they would look like items whose
                // key was lost.
                if hasItems { try items.setAside { .itemsDamaged(keptAs: $0) } }
                try keys.file.setAside()
            }
        } catch {
            throw .inputOutput
        }
        // The files are read again, because the key in an undamaged key file also encrypts the next items.
        guard case .table(let table, let key) = try read() else { throw .inputOutput }
        return (table, key)
    }

    private func change<Result>(
        _ body: (inout SecretTable) throws(SecretError) -> Result
    ) throws(SecretError) -> Result {
        let lock = try takeLock()
        defer { withExtendedLifetime(lock) {} }
        var (table, current) = try loadRepaired()
        let result = try body(&table)
        try write(table, current)
        return result
    }

    /// Replaces the items file.
    ///
    /// - Parameter isMove: whether to write the file only if its key is moved to another place.
    private func write(_ table: SecretTable, _ current: PlacedKey?, isMove: Bool = false) throws(SecretError) {
        do throws(Errno) {
            let key = try keys.keyForWriting(after: current)
            if isMove, key.place == current?.place { return }
            try items.write(table, key: key)
            keys.removeOthers(than: key, before: current)
        } catch {
            switch error {
            case .noSpace, .quotaExceeded: throw .diskFull
            default:
                report(.failed("the file of passwords", error))
                throw .inputOutput
            }
        }
    }

    // MARK: The key's place

    /// Whether the key is in the keyring, and whether it is in the preferred place.
    package var keyPlace: (isKeyring: Bool, isPreferred: Bool) {
        guard case .sealed(_, let place) = try? items.read(limits) else { return (false, !keys.prefersKeyring) }
        if case .keyring = place { return (true, keys.prefersKeyring) }
        return (false, !keys.prefersKeyring)
    }

    /// Moves the key to the preferred place, if the store has items and both places can be used. If the key is not
    /// moved now, a later change of an item moves it.
    package func settleKey() throws(SecretError) {
        let lock = try takeLock()
        defer { withExtendedLifetime(lock) {} }
        let (table, current) = try loadRepaired()
        guard let current, !table.items.isEmpty else { return }
        // A crash may have left a former key in the key file.
        if keys.isInPlace(current) { return keys.removeOthers(than: current, before: nil) }
        try write(table, current, isMove: true)
    }

    /// The reason why the key cannot be read from the keyring; `nil` if it can be read, or if the key is not in a
    /// keyring.
    package var keyFault: SecretError? {
        do throws(SecretError) {
            _ = try load()
            return nil
        } catch {
            return error.isOfKeyring ? error : nil
        }
    }

    /// Renames the items file because its key cannot be read from the keyring. The store is then empty. Throws an error
    /// if the key can be read.
    package func abandonItems() throws(SecretError) {
        let lock = try takeLock()
        defer { withExtendedLifetime(lock) {} }
        do throws(SecretError) {
            _ = try loadRepaired()
        } catch {
            guard error.isOfKeyring else { throw error }
            do throws(PrivateFile.Unusable) {
                return try items.setAside { .keyMissing(keptAs: $0) }
            } catch {
                throw .inputOutput
            }
        }
        throw .invalid
    }

    /// Waits for the lock, at most for the time limit. The lock is released when the returned descriptor is released.
    private func takeLock() throws(SecretError) -> FileDescriptor {
        do throws(Errno) {
            let file = try folder.open(Self.lockName, [.readWrite, .create, .noFollow])
            let deadline = ContinuousClock.now + lockWait
            repeat {
                if flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 { return file }
                let error = Errno.current
                guard error == .wouldBlock || error == .interrupted else { throw error }
                usleep(Self.pause)
            } while ContinuousClock.now < deadline
            report(.failed("the lock of the passwords", .timedOut))
        } catch {
            report(.failed("the lock of the passwords", error))
        }
        throw .unavailable
    }
}

/// The points at which tests kill the process of a store. The contents of the disk are different at each of these
/// points.
package enum SecretStoreStep: String, FaultPoint {
    case keyWritten = "secrets.key.written"
    case keyNamed = "secrets.key.named"
    case itemsStaged = "secrets.items.staged"
    case itemsWritten = "secrets.items.written"
    case itemsReplaced = "secrets.items.replaced"
    case keyInKeyring = "secrets.keyring.stored"
    case keyRemoved = "secrets.key.removed"
    case setAside = "secrets.damaged.aside"
}
