package import Fuse
import Glibc
import LinuxSystem

/// Stands in for the kernel: requests go to a file system as the kernel writes them, and what is answered can be read at the other end.
package final class RequestDevice {
    /// What a request was answered.
    package struct Answer: Sendable {
        package let unique: UInt64
        /// An error number with its sign changed; 0 for none.
        package let error: Int32
        package let body: [UInt8]
    }

    /// An answer that is no answer.
    package struct Malformed: Error {
        package init() {}
    }

    package let requests = RequestTable()
    private let answers: SequencedPacketSocket
    private let channel: DeviceChannel

    private static let headerSize = 40
    /// What the header of a request that comes again has in its number.
    package static let repeated: UInt64 = 1 << 63

    package init() throws {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        answers = ours
        channel = DeviceChannel(theirs.descriptor, requests: requests, buffers: BufferPool(size: 1 << 16))
    }

    /// A request; the length that its header tells is the number of bytes, unless another one is given.
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

    /// Numbers as they follow one another in a request's body.
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

    /// - Returns: whether it is a request.
    package func serve(_ bytes: [UInt8], by files: any FileSystem) -> Bool {
        bytes.withUnsafeBytes { raw in
            guard let request = Request(raw) else { return false }
            Dispatcher(files).serve(request, on: channel)
            return true
        }
    }

    /// The answers that have come.
    package func take() throws -> [Answer] {
        var all: [Answer] = []
        while let answer = try next() { all.append(answer) }
        return all
    }

    /// Waits for answers.
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
