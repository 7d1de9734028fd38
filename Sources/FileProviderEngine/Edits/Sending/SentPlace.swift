import LinuxSystem

/// Where an item was sent to be made. The answer may be lost, and the item be renamed here before it is sent again: then it is looked
/// for where it was sent first, so that it does not come to be there twice.
struct SentPlace: Equatable, Sendable {
    var parent: String
    var name: String

    /// Written before the provider is asked. Not forced to the disk: without it a copy too many may be made, and nothing is lost.
    func write(for number: ItemNumber, in uploads: FileDescriptor) throws(Errno) {
        let text = Array(parent.utf8) + [0] + Array(name.utf8)
        let file = try uploads.open(UploadName.place(number), [.writeOnly, .create, .truncate, .noFollow])
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
        defer { room.deallocate() }
        room.copyBytes(from: text)
        try file.writeAll(UnsafeRawBufferPointer(room))
    }

    static func read(for number: ItemNumber, in uploads: FileDescriptor) -> SentPlace? {
        guard let file = try? uploads.open(UploadName.place(number), [.readOnly, .noFollow]),
            let text = try? file.readToEnd(limit: 1 << 16), let end = text.firstIndex(of: 0)
        else { return nil }
        return SentPlace(
            parent: String(decoding: text[..<end], as: UTF8.self),
            name: String(decoding: text[(end + 1)...], as: UTF8.self))
    }
}
