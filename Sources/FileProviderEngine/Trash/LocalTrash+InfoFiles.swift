import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// The `.trashinfo` files of items in the trash (info files), and the other files that programs create beside the items
/// (plain files). File managers create the `.trashinfo` file before they move the item, and remove it after they have
/// restored or removed the item.
///
/// If no program has written a `.trashinfo` file for an item, its text is generated.
extension LocalTrash {
    /// The maximum size in bytes of a file that a program creates in the trash.
    private static let largest = 1 << 20
    /// The maximum number of plain files and of `.trashinfo` files without an item, together.
    private static let mostFiles = 1000

    /// Returns the bytes of a node's `.trashinfo` file, or of a plain file.
    package static func bytes(of node: TrashNode) -> [UInt8] {
        if let bytes = node.bytes { return bytes }
        guard node.item != nil else { return [] }
        let path = node.path.utf8.drop { $0 == UInt8(ascii: "/") }
        return Array("[Trash Info]\nPath=\(escaped(path))\nDeletionDate=\(date(node.date))\n".utf8)
    }

    /// Creates an empty `.trashinfo` file. If the trash has the item that the file's name refers to, the file is used
    /// for that item.
    package func makeInfoFile(named name: String) throws(EditError) -> TrashNode {
        try LocalEdits.checkName(name)
        guard try reading({ () throws(IndexError) in try infoFile(named: name) }) == nil else {
            throw EditError(.fileExists)
        }
        if name.hasSuffix(Self.infoSuffix),
            var node = try reading({ () throws(IndexError) in
                try item(named: String(name.dropLast(Self.infoSuffix.count)))
            })
        {
            node.infoName = name
            node.bytes = []
            store([node])
            return node
        }
        try checkRoom()
        var node = newNode(.files, named: "")
        node.infoName = name
        node.bytes = []
        store([node])
        return node
    }

    /// Creates an empty plain file beside the items.
    package func makePlainFile(named name: String) throws(EditError) -> TrashNode {
        try LocalEdits.checkName(name)
        guard try reading({ () throws(IndexError) in try plainFile(named: name) }) == nil else {
            throw EditError(.fileExists)
        }
        try checkRoom()
        var node = newNode(.top, named: name)
        node.bytes = []
        store([node])
        return node
    }

    private func checkRoom() throws(EditError) {
        guard nodes.values.count(where: { $0.item == nil }) < Self.mostFiles else { throw EditError(.noSpace) }
    }

    /// Writes to a `.trashinfo` file or a plain file.
    ///
    /// - Parameters:
    ///   - offset: The offset at which to write, in bytes; `nil` to append.
    ///   - isRepeated: Whether the previous process may already have appended the bytes. If the file ends with them,
    ///     nothing is written.
    package func write(
        _ bytes: [UInt8], at offset: Int64?, to number: Int64, isRepeated: Bool
    ) throws(EditError) {
        var node = try existing(number)
        var all = Self.bytes(of: node)
        if offset == nil, isRepeated, !bytes.isEmpty, all.suffix(bytes.count).elementsEqual(bytes) { return }
        let start = offset ?? Int64(all.count)
        guard start >= 0, start <= Self.largest, Int(start) + bytes.count <= Self.largest else {
            throw EditError(Errno(rawValue: EFBIG))
        }
        if all.count < Int(start) + bytes.count {
            all += [UInt8](repeating: 0, count: Int(start) + bytes.count - all.count)
        }
        all.replaceSubrange(Int(start)..<Int(start) + bytes.count, with: bytes)
        node.bytes = all
        store([node])
    }

    /// Sets the size in bytes of a `.trashinfo` file or a plain file.
    package func setSize(_ size: Int64, of number: Int64) throws(EditError) {
        var node = try existing(number)
        guard size >= 0 else { throw EditError(.invalidArgument) }
        guard size <= Self.largest else { throw EditError(Errno(rawValue: EFBIG)) }
        let all = Self.bytes(of: node)
        node.bytes = all.prefix(Int(size)) + [UInt8](repeating: 0, count: max(0, Int(size) - all.count))
        store([node])
    }

    private func existing(_ number: Int64) throws(EditError) -> TrashNode {
        guard let node = try reading({ () throws(IndexError) in try node(number) }) else {
            throw EditError(Errno(rawValue: ESTALE))
        }
        return node
    }

    package func removePlainFile(named name: String) throws(EditError) {
        guard let node = try reading({ () throws(IndexError) in try plainFile(named: name) }) else {
            throw EditError(.noSuchFile)
        }
        store([], removing: [node.number])
    }

    /// Removes a `.trashinfo` file. Its item, if any, stays in the trash.
    package func removeInfoFile(named name: String) throws(EditError) {
        guard var node = try reading({ () throws(IndexError) in try infoFile(named: name) }) else {
            throw EditError(.noSuchFile)
        }
        guard node.item != nil else { return store([], removing: [node.number]) }
        node.infoName = nil
        node.bytes = nil
        store([node])
    }

    /// Renames a plain file. Replaces a plain file that has the new name, unless `onlyToFreeName` is set.
    package func renamePlainFile(
        _ name: String, to newName: String, onlyToFreeName: Bool
    ) throws(EditError) {
        try LocalEdits.checkName(newName)
        guard var node = try reading({ () throws(IndexError) in try plainFile(named: name) }) else {
            throw EditError(.noSuchFile)
        }
        let other = try reading { () throws(IndexError) in try plainFile(named: newName) }
        if name.hasSameBytes(as: newName) { return }
        if other != nil, onlyToFreeName { throw EditError(.fileExists) }
        node.name = newName
        if let other { store([], removing: [other.number]) }
        store([node])
    }

    /// Renames a `.trashinfo` file that has no item. Programs do this after they have written a temporary file. If
    /// another `.trashinfo` file has the new name, its bytes are replaced, unless `onlyToFreeName` is set.
    package func renameInfoFile(_ name: String, to newName: String, onlyToFreeName: Bool) throws(EditError) {
        try LocalEdits.checkName(newName)
        guard var node = try reading({ () throws(IndexError) in try infoFile(named: name) }) else {
            throw EditError(.noSuchFile)
        }
        if name.hasSameBytes(as: newName) { return }
        guard node.item == nil else { throw EditError(.notPermitted) }
        if let other = try reading({ () throws(IndexError) in try infoFile(named: newName) }) {
            guard !onlyToFreeName else { throw EditError(.fileExists) }
            var replaced = other
            replaced.bytes = node.bytes
            return store([replaced], removing: [node.number])
        }
        if newName.hasSuffix(Self.infoSuffix),
            var item = try reading({ () throws(IndexError) in
                try item(named: String(newName.dropLast(Self.infoSuffix.count)))
            })
        {
            item.infoName = newName
            item.bytes = node.bytes
            return store([item], removing: [node.number])
        }
        node.infoName = newName
        store([node])
    }

    // MARK: Encoding

    /// Returns the text of a date, given in seconds since 1970, in the local time zone, as the specification of the
    /// trash requires.
    private static func date(_ time: Double) -> String {
        var seconds = time_t(max(0, min(time, 253_402_300_799)))
        var parts = tm()
        localtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~/".utf8)

    /// Returns the path with all bytes percent-encoded except ASCII letters, digits and `-_.~/`.
    private static func escaped(_ path: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = path.flatMap { byte in
            plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
