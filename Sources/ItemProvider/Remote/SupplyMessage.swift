import Conduit
import Foundation
import Glibc
import LinuxSystem

/// A load handler's result as a message to another process.
///
/// Small data is inside the message, larger data in a sealed memory file, and files are open descriptors.
package struct SupplyMessage: SchemaMessage {
    /// The maximum size in bytes of data inside the message. Up to this size, a memory file would be slower.
    package static let inlineBytes = 4 << 10

    package let supply: Supply

    package init(_ supply: Supply) { self.supply = supply }

    package static let schema = Schema<SupplyMessage>(tag: 0) {
        Case(0, { Self(.bytes($0)) }, Field(1, \.self)) { if case .bytes(let data) = $0.supply { data } else { nil } }
        Case(
            1, { (descriptor, size) throws(MessageError) in try Self(memory: descriptor, size: size) }, Field(2, \.0),
            Field(3, \.1)
        ) {
            if case .memory(let descriptor, let size) = $0.supply { (descriptor, size) } else { nil }
        }
        Case(2, { Self(.file($0)) }, SuppliedFile.schema(isDirectory: false)) {
            if case .file(let file) = $0.supply, !file.isDirectory { file } else { nil }
        }
        Case(3, { Self(.file($0)) }, SuppliedFile.schema(isDirectory: true)) {
            if case .file(let file) = $0.supply { file } else { nil }
        }
    }

    private init(memory descriptor: FileDescriptor, size: Int) throws(MessageError) {
        // These calls must not block this thread. Only memory files have seals, and their status comes from memory.
        guard MemoryFile.isSealed(descriptor), let status = try? descriptor.status(), size == status.size
        else { throw .invalid("the data's memory file is not sealed, or not of the stated size") }
        supply = .memory(descriptor, size: size)
    }
}

extension SuppliedFile {
    /// Returns the schema of a file's values. The key 0 is not used here, because it is the tag of the supply.
    ///
    /// - Parameter isDirectory: whether the sender describes the file as a directory. This need not be checked here,
    ///   because reading a file as a directory fails.
    fileprivate static func schema(isDirectory: Bool) -> Schema<SuppliedFile> {
        Schema(
            {
                (
                    descriptor: FileDescriptor, path: String?, name: String?, isOfferedInPlace: Bool,
                    isCoordinated: Bool, lease: FileDescriptor?
                ) throws(MessageError) in
                // The sender itself must be able to read the file. A sender that cannot read a file can open it with
                // `O_PATH`, and the receiver might have the permission to open that descriptor for reading.
                guard descriptor.isOpenForReading else { throw .invalid("the file is not open for reading") }
                // The kernel would end a path at a zero byte.
                guard path?.utf8.contains(0) != true, name?.utf8.contains(0) != true else {
                    throw .invalid("the file's path or name has a zero byte")
                }
                return SuppliedFile(
                    descriptor: descriptor, isDirectory: isDirectory, path: path, name: name,
                    isOfferedInPlace: isOfferedInPlace, isCoordinated: isCoordinated,
                    lease: lease.map(FolderLease.init))
            },
            Field(2, \SuppliedFile.descriptor), Field(4, \.path), Field(5, \.name), Field(6, \.isOfferedInPlace),
            Field(7, \.isCoordinated), Field(8, \.lease?.socket))
    }
}

/// Conversion of a load handler's result to a form that can be sent.
package enum SupplyPacking {
    /// The number of bytes that are written between two checks for cancellation.
    private static let piece = 4 << 20

    /// Moves data that is too large for a message into a sealed memory file. Other supplies stay as they are.
    ///
    /// - Parameters:
    ///   - isCancelled: called between pieces.
    ///   - report: gets the written fraction after each piece but the last.
    package static func pack(
        _ supply: Supply, isCancelled: () -> Bool, report: (Double) -> Void
    ) throws -> Supply {
        guard case .bytes(let data) = supply, data.count > SupplyMessage.inlineBytes else { return supply }
        let file: FileDescriptor
        do {
            file = try MemoryFile.create(name: "purvey-item")
            try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
                var rest = bytes
                while !rest.isEmpty {
                    try file.writeAll(UnsafeRawBufferPointer(rebasing: rest.prefix(piece)))
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece))
                    if isCancelled() { throw ItemProviderError.cancelled() }
                    if !rest.isEmpty { report(1 - Double(rest.count) / Double(bytes.count)) }
                }
            }
            try MemoryFile.seal(file)
        } catch let error as Errno {
            throw ItemProviderError.make(
                .unknownError, "\(data.count) bytes cannot be handed to another process: \(error)")
        }
        return .memory(file, size: data.count)
    }
}
