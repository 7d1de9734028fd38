/// How bytes came from one file into another.
package enum CopyMethod: Sendable {
    /// The two files share their blocks (btrfs, xfs): no byte was moved.
    case clone
    /// The kernel copied within itself.
    case copyFileRange
    /// Through a buffer of this process.
    case readWrite
}
