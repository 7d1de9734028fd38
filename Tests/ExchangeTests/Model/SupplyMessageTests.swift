import Conduit
import Foundation
import Glibc
import ItemProvider
import LinuxSystem
import Testing

/// Validation of the contents that another process claims to supply.
@Suite struct SupplyMessageTests {
    /// Returns the supply that arrives after encoding and decoding.
    @discardableResult
    private func arrival(of supply: Supply) throws -> Supply {
        var encoder = MessageEncoder()
        SupplyMessage(supply).write(to: &encoder)
        let (bytes, descriptors) = (encoder.bytes, encoder.descriptors)
        let result: Result<SupplyMessage, MessageError> = bytes.withUnsafeBytes { bytes in
            var decoder = MessageDecoder(bytes, descriptors: descriptors)
            do throws(MessageError) {
                return .success(try SupplyMessage.read(from: &decoder))
            } catch {
                return .failure(error)
            }
        }
        return try result.get().supply
    }

    private func file(_ descriptor: FileDescriptor, path: String? = nil, name: String? = nil) -> Supply {
        .file(
            SuppliedFile(
                descriptor: descriptor, isDirectory: false, path: path, name: name, isOfferedInPlace: true,
                isCoordinated: false))
    }

    @Test func memoryIsTakenAtItsRealSizeAndOnlySealed() throws {
        let sealed = try MemoryFile.create(name: "test")
        ftruncate(sealed.rawValue, 10)
        try MemoryFile.seal(sealed)
        guard case .memory(_, let size) = try arrival(of: .memory(sealed, size: 10)) else {
            throw Failure("it arrived as something else")
        }
        #expect(size == 10)
        // A process that understates the size would make others keep the rest uncounted.
        for lie in [9, 0, 11, -1] {
            #expect(throws: MessageError.self) { try arrival(of: .memory(sealed, size: lie)) }
        }
        let open = try MemoryFile.create(name: "test")
        #expect(throws: MessageError.self) { try arrival(of: .memory(open, size: 0)) }
    }

    @Test func aFileIsTakenOnlyWhenItsSenderMayReadIt() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/secret"
            try Data("secret".utf8).write(to: URL(fileURLWithPath: path))
            try arrival(of: file(.open(path, .readOnly)))
            try arrival(of: file(.open(path, .readWrite)))
            // A path-only descriptor can be had without the right to read, and its recipient could open it.
            #expect(throws: MessageError.self) { try arrival(of: file(.open(path, .pathOnly))) }
            #expect(throws: MessageError.self) { try arrival(of: file(.open(path, .writeOnly))) }
        }
    }

    @Test func aPathOrNameWithAZeroByteIsRefused() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            try Data("text".utf8).write(to: URL(fileURLWithPath: path))
            let descriptor = try FileDescriptor.open(path, .readOnly)
            #expect(throws: MessageError.self) { try arrival(of: file(descriptor, path: path + "\0x")) }
            #expect(throws: MessageError.self) { try arrival(of: file(descriptor, name: "file\0x")) }
        }
    }
}
