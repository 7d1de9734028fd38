import Conduit
import Glibc

/// The bytes of a secret. They are in separately allocated memory, which is overwritten with zeros before it is freed.
///
/// Copies that the caller or the system makes, such as those in the buffers of sockets, are not overwritten.
package final class SecretBytes: @unchecked Sendable {
    // Sendable: only the initializers write to the memory, and only the last reference frees it.
    private let memory: UnsafeMutableRawBufferPointer

    /// Creates a copy of bytes.
    package init(copying bytes: UnsafeRawBufferPointer) {
        memory = .allocate(byteCount: bytes.count, alignment: 16)
        memory.copyMemory(from: bytes)
    }

    /// Creates a secret of `count` bytes, which the given function fills in. Before the call, all bytes are 0.
    package init<Failure: Error>(
        count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        memory = .allocate(byteCount: count, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        // After an error, the deinitializer erases the memory.
        try fill(memory)
    }

    deinit {
        Self.erase(memory)
        memory.deallocate()
    }

    package var count: Int { memory.count }

    /// Calls a function with the bytes. They are valid only until the function returns.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(memory))
    }

    /// Overwrites memory with zeros. The compiler does not remove this call by optimization.
    package static func erase(_ memory: UnsafeMutableRawBufferPointer) {
        if let base = memory.baseAddress { explicit_bzero(base, memory.count) }
    }
}

extension SecretBytes: Equatable {
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.withBytes { left in right.withBytes { left.elementsEqual($0) } }
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    /// The number of bytes. The description does not contain the bytes, so that they do not appear in a log.
    package var description: String { "a secret of \(count) bytes" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The encoding of a secret as one byte string, without an intermediate copy.
extension SecretBytes: MessageValue {
    package func write(to encoder: inout MessageEncoder) { withBytes { encoder.write(bytes: $0) } }

    package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> Self {
        try decoder.readBytes { Self(copying: $0) }
    }
}
