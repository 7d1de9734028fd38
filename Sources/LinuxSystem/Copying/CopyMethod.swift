/// The method by which a file's bytes were copied.
package enum CopyMethod: Sendable {
    /// The two files share their blocks (btrfs, xfs). No byte was copied.
    case clone
    /// The kernel copied the bytes (copy_file_range(2)).
    case copyFileRange
    /// The bytes were copied through a buffer of this process.
    case readWrite
}
