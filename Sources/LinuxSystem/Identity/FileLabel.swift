/// Labels of files and directories that this software creates where users may have files of the same name.
///
/// A label contains the inode number and the birth time of its file or directory. A copy has other values, so a user
/// cannot create a file with a valid label by accident.
extension FileDescriptor {
    /// The maximum size of a label in bytes.
    package static let largestLabel = 64

    /// Returns the label of this open file or directory. If the file system does not have permanent inode numbers and
    /// birth times, the label contains only the purpose.
    ///
    /// - Parameter purpose: one short word.
    package func label(for purpose: String) throws(Errno) -> [UInt8] {
        let (status, birth) = try statusAndBirth()
        guard birth != 0, !hasPassingInodes else { return Array("\(purpose)\n".utf8) }
        return Array("\(purpose) \(status.identity.inode) \(birth)\n".utf8)
    }

    /// Whether the contents of this file are its own label for the given purpose.
    package func isLabelled(for purpose: String) -> Bool {
        guard let label = try? label(for: purpose), let found = try? readToEnd(limit: Self.largestLabel) else {
            return false
        }
        return found == label
    }
}
