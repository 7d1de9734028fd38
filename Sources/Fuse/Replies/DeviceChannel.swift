import CFuse
import Glibc
package import LinuxSystem

/// One open descriptor of the FUSE device. Replies are written to the descriptor that their request was read from.
package final class DeviceChannel: Sendable {
    package let device: FileDescriptor
    let requests: RequestTable
    let buffers: BufferPool

    package init(_ device: FileDescriptor, requests: RequestTable, buffers: BufferPool) {
        self.device = device
        self.requests = requests
        self.buffers = buffers
    }

    /// Replies to a request. Returns `false` if the kernel rejects the reply, usually because the caller does not wait
    /// for it any more.
    @discardableResult
    func send(_ unique: UInt64, error: Errno?, _ body: UnsafeRawBufferPointer) -> Bool {
        let size = MemoryLayout<fuse_out_header>.size
        var header = fuse_out_header(
            len: UInt32(size + body.count), error: -(error?.rawValue ?? 0), unique: unique)
        while cfuse_write(device.rawValue, &header, size, body.baseAddress, body.count) < 0 {
            if Errno.current == .interrupted { continue }
            return false
        }
        return true
    }
}

/// Reusable buffers, each as large as the largest reply. The kernel allocates the pages of a buffer as the buffer is
/// filled.
package final class BufferPool: Sendable {
    /// A buffer that has a single owner until it is returned to the pool.
    struct Buffer: @unchecked Sendable {
        // It has a single owner, so it may move from thread to thread.
        let bytes: UnsafeMutableRawBufferPointer
    }

    private static let keptLimit = 8
    let size: Int
    private let idle = Lock<[Buffer]>([])

    package init(size: Int) { self.size = size }

    deinit {
        for buffer in idle.withLock({ $0 }) { buffer.bytes.deallocate() }
    }

    func take() -> Buffer {
        if let buffer = idle.withLock({ $0.popLast() }) { return buffer }
        return Buffer(bytes: .allocate(byteCount: size, alignment: 4096))
    }

    func give(_ buffer: Buffer) {
        let isKept = idle.withLock { idle in
            guard idle.count < Self.keptLimit else { return false }
            idle.append(buffer)
            return true
        }
        if !isKept { buffer.bytes.deallocate() }
    }
}
