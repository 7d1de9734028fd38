import Conduit
import Foundation
import Glibc
import LinuxSystem

/// A load handler's result as a message to another process.
///
/// Small data is inside the message, larger data in a sealed memory file, and files are open descriptors.
package struct SupplyMessage: Message {
    /// The maximum size in bytes of data inside the message. For this size, a memory file would be slower.
    package static let inlineBytes = 4 << 10

    package let supply: Supply

    package init(_ supply: Supply) { self.supply = supply }

    private enum Kind: Int, MessageValue {
        case bytes = 0
        case memory = 1
        case file = 2
        case directory = 3
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        let kind: Kind = try decoder.decode(forKey: 0)
        switch kind {
        case .bytes:
            supply = .bytes(try decoder.decodeBytes(forKey: 1) { Data($0) })
        case .memory:
            let descriptor: FileDescriptor = try decoder.decode(forKey: 2)
            let size: Int = try decoder.decode(forKey: 3)
            // These calls must not block this thread. Only memory files have seals, and their status comes from
            // memory.
            guard MemoryFile.isSealed(descriptor), let status = try? descriptor.status(), size == status.size
            else { throw .invalid("the data's memory file is not sealed, or not of the size it says") }
            supply = .memory(descriptor, size: size)
        case .file, .directory:
            let descriptor: FileDescriptor = try decoder.decode(forKey: 2)
            // The sender itself must be able to read the file: the receiver could open a mere handle (`O_PATH`) for
            // reading.
            guard descriptor.isOpenForReading else { throw .invalid("the file is not open for reading") }
            let path: String? = try decoder.decodeIfPresent(forKey: 4)
            let name: String? = try decoder.decodeIfPresent(forKey: 5)
            // The system would take such a path for a shorter one.
            guard path?.utf8.contains(0) != true, name?.utf8.contains(0) != true else {
                throw .invalid("the file's path or name has a zero byte")
            }
            supply = .file(
                SuppliedFile(
                    descriptor: descriptor,
                    // This is not trusted: reading a file as a directory fails.
                    isDirectory: kind == .directory,
                    path: path, name: name,
                    isOfferedInPlace: try decoder.decode(forKey: 6), isCoordinated: try decoder.decode(forKey: 7),
                    lease: try decoder.decodeIfPresent(FileDescriptor.self, forKey: 8).map(FolderLease.init)))
        }
    }

    package func encode(to encoder: inout MessageEncoder) {
        switch supply {
        case .bytes(let data):
            encoder.encode(Kind.bytes, forKey: 0)
            data.withUnsafeBytes { encoder.encode(bytes: $0, forKey: 1) }
        case .memory(let descriptor, let size):
            encoder.encode(Kind.memory, forKey: 0)
            encoder.encode(descriptor, forKey: 2)
            encoder.encode(size, forKey: 3)
        case .file(let file):
            encoder.encode(file.isDirectory ? Kind.directory : Kind.file, forKey: 0)
            encoder.encode(file.descriptor, forKey: 2)
            encoder.encodeIfPresent(file.path, forKey: 4)
            encoder.encodeIfPresent(file.name, forKey: 5)
            encoder.encode(file.isOfferedInPlace, forKey: 6)
            encoder.encode(file.isCoordinated, forKey: 7)
            encoder.encodeIfPresent(file.lease?.socket, forKey: 8)
        }
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
