// A custom file system: a directory with one file is mounted, read and unmounted.
import Foundation
import Fuse
import LinuxSystem

final class Greeting: FileSystem {
    private let text = Array("hello".utf8)
    private let name: Name = "greeting"
    private let file = NodeID(rawValue: 2)

    private func attributes(of node: NodeID) -> Attributes? {
        switch node {
        case .root: Attributes(node: node, mode: S_IFDIR | 0o555)
        case file: Attributes(node: node, mode: S_IFREG | 0o444, size: Int64(text.count))
        default: nil
        }
    }

    func lookup(_ name: Name, in parent: NodeID, _ reply: Reply<Entry>) {
        guard parent == .root, name == self.name, let attributes = attributes(of: file) else {
            return reply.fail(Errno(rawValue: ENOENT))
        }
        reply.reply(
            Entry(node: file, attributes: attributes, nameValidity: .seconds(1), attributeValidity: .seconds(1)))
    }

    func attributes(of node: NodeID, handle: UInt64?, _ reply: Reply<AttributesReply>) {
        guard let attributes = attributes(of: node) else { return reply.fail(Errno(rawValue: ENOENT)) }
        reply.reply(AttributesReply(attributes, validity: .seconds(1)))
    }

    func read(_ node: NodeID, handle: UInt64, at offset: Int64, count: Int, _ reply: Reply<Bytes>) {
        reply.reply(Bytes(Array(text.dropFirst(Int(offset)).prefix(count))))
    }

    func readDirectory(_ node: NodeID, handle: UInt64, after cookie: UInt64, _ reply: Reply<Listing>) {
        let listing = reply.listing()
        if cookie == 0 { _ = listing.append(name, node: file, kind: .file, cookie: 1) }
        reply.reply(listing)
    }
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("greeting-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let session = try Session.mount(at: folder.path, options: MountOptions(name: "greeting"), Greeting())
defer {
    session.unmount()
    session.waitForEnd()
}
let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
print(names, try String(contentsOf: folder.appendingPathComponent("greeting"), encoding: .utf8))
