import CFuse
import Glibc

/// A request in the buffer that it was read into. Its contents are not trusted, so the functions return `nil` for a
/// part that is missing or malformed.
package struct Request {
    let header: fuse_in_header
    /// The bytes after the header.
    let body: UnsafeRawBufferPointer

    /// Creates a request from the bytes that were read from the device. Returns `nil` if the header is incomplete or
    /// contains a wrong length.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        let size = MemoryLayout<fuse_in_header>.size
        guard bytes.count >= size else { return nil }
        header = bytes.loadUnaligned(as: fuse_in_header.self)
        guard Int(header.len) == bytes.count else { return nil }
        // Extensions come last, and only in sessions that have negotiated them.
        let extensions = Int(header.total_extlen) * 8
        guard extensions <= bytes.count - size else { return nil }
        body = UnsafeRawBufferPointer(rebasing: bytes[size..<bytes.count - extensions])
    }

    var node: NodeID { NodeID(rawValue: header.nodeid) }

    var caller: Caller {
        Caller(userID: header.uid, groupID: header.gid, processID: Int32(bitPattern: header.pid))
    }

    /// Returns the structure that the body begins with.
    @inline(__always)
    func load<Structure: BitwiseCopyable>(_ type: Structure.Type) -> Structure? {
        guard body.count >= MemoryLayout<Structure>.size else { return nil }
        return body.loadUnaligned(as: type)
    }

    /// Returns the bytes of the body after the first `size` bytes.
    func rest(after size: Int) -> UnsafeRawBufferPointer? {
        guard size <= body.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: body[size...])
    }

    /// Returns the NUL-terminated name at the given offset in the body.
    @inline(__always)
    func name(at place: Int = 0) -> Name? {
        guard let end = end(ofNameAt: place) else { return nil }
        return Name(UnsafeRawBufferPointer(rebasing: body[place..<end]))
    }

    /// Returns two NUL-terminated names, the first of which begins at the given offset in the body.
    func names(at place: Int) -> (Name, Name)? {
        guard let end = end(ofNameAt: place), let second = name(at: end + 1) else { return nil }
        return (Name(UnsafeRawBufferPointer(rebasing: body[place..<end])), second)
    }

    private func end(ofNameAt place: Int) -> Int? {
        guard place < body.count, let start = body.baseAddress else { return nil }
        guard let end = memchr(start + place, 0, body.count - place) else { return nil }
        return UnsafeRawPointer(end) - start
    }
}
