import Glibc
import LinuxSystem

/// Names in a directory, sorted by their bytes. They are in one buffer, because a directory may have a million names.
struct FolderNames {
    /// The names, each with its terminating NUL.
    private var characters: [CChar] = []
    private var starts: [Int] = []

    /// Reads the names of a directory.
    ///
    /// - Parameter isServed: returns whether a name is included.
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

    /// Returns the bytes of the name at the given index.
    subscript(index: Int) -> [UInt8] {
        let start = starts[index]
        return characters.withUnsafeBufferPointer { characters in
            guard let name = characters.baseAddress.map({ $0 + start }) else { return [] }
            return Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
        }
    }
}
