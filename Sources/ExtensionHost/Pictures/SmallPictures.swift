import FileProvider
import LinuxSystem

/// Small pictures of one, as a process made them that is not to be believed: bytes that do not change any more.
package struct SmallPictures: Sendable {
    /// One after the other.
    package let file: FileDescriptor
    /// Where each is, the smallest first.
    package let ranges: [Range<Int>]

    /// `nil` where they can still change, or are not all there.
    ///
    /// - Parameter sizes: bytes of each.
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
