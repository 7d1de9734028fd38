import FileProviderWire
import Glibc
import ItemStore
import LinuxSystem

/// Functions for contents that the provider returned, in ``ContentFolders/incoming``. They may block for long, so they
/// run on threads other than the engine's, except ``addEndOfIncoming(to:modified:)``.
extension ContentFolders {
    /// Copies the given open file to ``incoming``, under the given item number.
    ///
    /// - Parameter modified: The modification date to set on the copy, in seconds since 1970; `nil` for 1970.
    func take(
        _ source: FileDescriptor, as number: ItemNumber, modified: Double?, isCancelled: () -> Bool
    ) throws(ProviderError) {
        do {
            try remove(number, in: incoming)
            try FileCopier.copy(
                source, into: incoming, named: Self.name(number), origin: .peer, permissions: 0o600,
                isCancelled: isCancelled)
            guard let copy = try open(number, in: incoming, .readOnly) else { throw Errno.noSuchFile }
            // The copy must be writable. Recovery identifies the file by the date.
            try retrying { fchmod(copy.rawValue, 0o600) }
            try FileFingerprint.date(copy, modified)
        } catch let error as CopyError {
            try? remove(number, in: incoming)
            throw ProviderError(error)
        } catch let error as Errno {
            throw ProviderError(error)
        } catch {
            throw ProviderError(.transient, message: "\(error)")
        }
    }

    /// Whether the item's file in ``incoming`` begins with all bytes of its clean file.
    func isCleanBeginningOfIncoming(_ number: ItemNumber) throws(Errno) -> Bool {
        guard let new = try open(number, in: incoming, .readOnly), let old = try open(number, in: clean, .readOnly)
        else { return false }
        let size = Int(try old.status().size)
        guard try new.status().size >= size else { return false }
        return try ContentComparison.areEqual(old, new, in: 0..<size)
    }

    /// Appends to an item's clean file the further bytes of the item's file in ``incoming``. Deletes the file in
    /// ``incoming``.
    ///
    /// - Parameter modified: The modification date to set, by which recovery identifies the clean file.
    /// - Returns: The new size of the clean file, in bytes.
    func addEndOfIncoming(
        to number: ItemNumber, modified: Double?
    ) throws(ProviderError) -> Int64 {
        do {
            guard let new = try open(number, in: incoming, .readOnly), let old = try open(number, in: clean, .readWrite)
            else { throw Errno.noSuchFile }
            // A previous attempt may have appended some bytes before the disk was full.
            let (start, size) = (Int(try old.status().size), Int(try new.status().size))
            guard start <= size else { throw Errno.invalidArgument }
            if start < size { try FileCopier.copyRange(start..<size, of: new, to: old, named: Self.name(number)) }
            // A hole at the end of the range is not copied, so the file may still be too short.
            if try old.status().size < size { try old.truncate(to: size) }
            try FileFingerprint.date(old, modified)
            try remove(number, in: incoming)
            return Int64(size)
        } catch let error as CopyError {
            throw ProviderError(error)
        } catch let error as Errno {
            throw ProviderError(error)
        } catch {
            throw ProviderError(.transient, message: "\(error)")
        }
    }
}

extension ProviderError {
    /// Creates the error that a caller gets when a copy fails.
    init(_ error: CopyError) {
        switch error {
        case .cancelled: self.init(.cancelled, message: error.description)
        case .noSpace: self.init(.noSpace, message: error.description)
        case .wrongKind: self.init(.badAnswer, message: error.description)
        default: self.init(.transient, message: error.description)
        }
    }
}
