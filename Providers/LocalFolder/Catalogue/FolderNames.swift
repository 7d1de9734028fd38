import Glibc
import LinuxSystem

/// Names in a folder, in the order of their bytes. There may be a million of them, so they lie in one piece.
struct FolderNames {
    /// Each with the NUL that ends it.
    private var characters: [CChar] = []
    private var starts: [Int] = []

    /// All that is in a folder.
    ///
    /// - Parameter isServed: tells what is to be left out.
    init(in folder: FileDescriptor, where isServed: (FileName) -> Bool) throws(Errno) {
        try folder.forEachEntry { entry in
            if isServed(entry.name) { append(entry.name) }
        }
        sort()
    }

    init(_ names: some Collection<FileName>) {
        for name in names { append(name) }
        sort()
    }

    private mutating func append(_ name: FileName) {
        starts.append(characters.count)
        characters += name.characters
    }

    private mutating func sort() {
        characters.withUnsafeBufferPointer { characters in
            guard let base = characters.baseAddress else { return }
            starts.sort { strcmp(base + $0, base + $1) < 0 }
        }
    }

    var count: Int { starts.count }

    var isEmpty: Bool { starts.isEmpty }

    /// The bytes of a name.
    subscript(index: Int) -> [UInt8] {
        let start = starts[index]
        return characters.withUnsafeBufferPointer { characters in
            guard let name = characters.baseAddress.map({ $0 + start }) else { return [] }
            return Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
        }
    }
}
