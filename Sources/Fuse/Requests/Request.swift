import CFuse
import Glibc

/// One request as it lies in the buffer that it was read into. Nothing in it is believed: what is not there is `nil`.
package struct Request {
    let header: fuse_in_header
    /// What follows the header.
    let body: UnsafeRawBufferPointer

    /// A request from what a read of the device gave; `nil` where not even a header came, or one that is wrong about the length.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        let size = MemoryLayout<fuse_in_header>.size
        guard bytes.count >= size else { return nil }
        header = bytes.loadUnaligned(as: fuse_in_header.self)
        guard Int(header.len) == bytes.count else { return nil }
        // Extensions come last, and only a session that wants them is sent any.
        let extensions = Int(header.total_extlen) * 8
        guard extensions <= bytes.count - size else { return nil }
        body = UnsafeRawBufferPointer(rebasing: bytes[size..<bytes.count - extensions])
    }

    var node: NodeID { NodeID(rawValue: header.nodeid) }

    var caller: Caller {
        Caller(userID: header.uid, groupID: header.gid, processID: Int32(bitPattern: header.pid))
    }

    /// The structure that the body begins with.
    @inline(__always)
    func load<Structure: BitwiseCopyable>(_ type: Structure.Type) -> Structure? {
        guard body.count >= MemoryLayout<Structure>.size else { return nil }
        return body.loadUnaligned(as: type)
    }

    /// What follows a structure of so many bytes.
    func rest(after size: Int) -> UnsafeRawBufferPointer? {
        guard size <= body.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: body[size...])
    }

    /// The name that begins at a place of the body, which ends with a NUL.
    @inline(__always)
    func name(at place: Int = 0) -> Name? {
        guard let end = end(ofNameAt: place) else { return nil }
        return Name(UnsafeRawBufferPointer(rebasing: body[place..<end]))
    }

    /// Two names, one after the other.
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
