import FileProvider
import LinuxSystem

/// Thumbnails of a picture from an untrusted process, in a sealed file.
package struct SmallPictures: Sendable {
    /// The file with the thumbnails one after the other.
    package let file: FileDescriptor
    /// The byte ranges of the thumbnails, the smallest first.
    package let ranges: [Range<Int>]

    /// Checks the process's file. Returns `nil` if the file can still be changed, or is incomplete.
    ///
    /// - Parameter sizes: The sizes of the thumbnails in bytes.
    package init?(_ file: FileDescriptor, sizes: [Int]) {
        guard MemoryFile.isSealed(file), let size = try? file.status().size,
            size <= ShrinkPictureCall.mostBytes
        else { return nil }
        var ranges: [Range<Int>] = []
        var end = 0
        for count in sizes {
            guard count > 0, count <= size - end else { return nil }
            ranges.append(end..<end + count)
            end += count
        }
        self.file = file
        self.ranges = ranges
    }
}
