package import Fuse
import Glibc
import LinuxSystem

/// A replacement for the kernel that sends requests in the kernel's format to a file system, and receives the replies.
package final class RequestDevice {
    /// A reply to a request.
    package struct Answer: Sendable {
        package let unique: UInt64
        /// A negated error number; 0 for success.
        package let error: Int32
        package let body: [UInt8]
    }

    /// An error for a reply that is malformed.
    package struct Malformed: Error {
        package init() {}
    }

    package let requests = RequestTable()
    private let answers: SequencedPacketSocket
    private let channel: DeviceChannel

    private static let headerSize = 40
    /// The flag in the unique number of a request that the kernel sends again.
    package static let repeated: UInt64 = 1 << 63

    package init() throws {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        answers = ours
        channel = DeviceChannel(theirs.descriptor, requests: requests, buffers: BufferPool(size: 1 << 16))
    }

    /// Returns the bytes of a request. Its header contains the actual length, unless another one is given.
    package static func request(
        _ opcode: UInt32, _ body: [UInt8], node: UInt64 = 1, unique: UInt64 = 4, length: Int? = nil
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: headerSize) + body
        bytes.withUnsafeMutableBytes { raw in
            raw.storeBytes(of: UInt32(length ?? raw.count), as: UInt32.self)
            raw.storeBytes(of: opcode, toByteOffset: 4, as: UInt32.self)
            raw.storeBytes(of: unique, toByteOffset: 8, as: UInt64.self)
            raw.storeBytes(of: node, toByteOffset: 16, as: UInt64.self)
        }
        return bytes
    }

    /// A number in a request's body.
    package enum Number {
        case short(UInt32)
        case long(UInt64)
    }

    /// Returns the bytes of successive numbers in a request's body.
    package static func numbers(_ numbers: Number...) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in numbers {
            switch number {
            case .short(let value): withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
            case .long(let value): withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
            }
        }
        return bytes
    }

    /// - Returns: Whether the bytes are a request.
    package func serve(_ bytes: [UInt8], by files: any FileSystem) -> Bool {
        bytes.withUnsafeBytes { raw in
            guard let request = Request(raw) else { return false }
            Dispatcher(files).serve(request, on: channel)
            return true
        }
    }

    /// Removes and returns the replies that have arrived.
    package func take() throws -> [Answer] {
        var all: [Answer] = []
        while let answer = try next() { all.append(answer) }
        return all
    }

    /// Waits for a number of replies.
    package func wait(count: Int) throws -> [Answer] {
        var all: [Answer] = []
        while all.count < count {
            try waitForOne()
            all += try take()
        }
        return all
    }

    private func waitForOne() throws {
        var waited = pollfd(fd: answers.descriptor.rawValue, events: CShort(POLLIN), revents: 0)
        guard poll(&waited, 1, 120_000) > 0 else { throw Errno.timedOut }
    }

    private func next() throws -> Answer? {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 8)
        defer { bytes.deallocate() }
        let count: Int
        do throws(Errno) {
            count = try answers.receive(into: bytes).byteCount
        } catch {
            if error == .wouldBlock { return nil }
            throw error
        }
        guard count >= 16, Int(bytes.load(as: UInt32.self)) == count else { throw Malformed() }
        return Answer(
            unique: bytes.load(fromByteOffset: 8, as: UInt64.self),
            error: bytes.load(fromByteOffset: 4, as: Int32.self), body: Array(bytes[16..<count]))
    }
}
