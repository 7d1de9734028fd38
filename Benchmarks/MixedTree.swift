import LinuxSystem

/// A tree like a user's documents: half of it text, half of it media that is compressed already. About 200 MB.
struct MixedTree {
    private static let textBytes = 105_000_000
    private static let media: [(name: String, bytes: Int)] = (1...20).map { number in
        let kinds = ["jpg", "zip", "mp4", "jpg"]
        return ("media-\(number).\(kinds[number % kinds.count])", number % 5 == 0 ? 9_000_000 : 3_700_000)
    }

    let descriptor: FileDescriptor
    private(set) var files = 0
    private(set) var bytes = 0

    /// Creates the directory `tree` in a directory. Its texts are this machine's documentation and headers.
    init(in scratch: ScratchFolder) throws {
        descriptor = try scratch.folder("tree")
        for source in ["/usr/share/doc", "/usr/include"] {
            guard let root = try? FileDescriptor.open(source, [.readOnly, .directory]) else { continue }
            try addTexts(from: root, upTo: bytes + Self.textBytes / 2)
        }
        var noise = IncompressibleBytes()
        for (name, size) in Self.media {
            let file = try descriptor.open(name, [.readWrite, .create, .exclusive], permissions: 0o644)
            try noise.write(size, to: file)
            files += 1
            bytes += size
        }
    }

    /// Whether a file is compressed, by its name.
    static func isCompressed(_ name: String) -> Bool {
        ["jpg", "zip", "mp4", "gz"].contains { name.hasSuffix("." + $0) }
    }

    private mutating func addTexts(from root: FileDescriptor, upTo limit: Int) throws {
        var walker = try TreeWalker(root: root, opensFiles: true)
        var folder = descriptor
        while bytes < limit, let event = try walker.next() {
            guard case .file(let entry, let file?) = event, let name = entry.name, entry.status.size > 0 else {
                continue
            }
            if files % 100 == 0, let folderName = FileName("folder-\(files / 100)") {
                try descriptor.makeDirectory(folderName, permissions: 0o755)
                folder = try descriptor.open(entry: folderName, [.readOnly, .directory])
            }
            try FileCopier.copy(file, into: folder, named: "\(files)-\(name)")
            files += 1
            bytes += entry.status.size
        }
    }
}
