import FileProvider

/// Modes and dates that are set on this machine. No provider of this model takes them by themselves: they stay in the index, and go
/// along with contents.
extension DomainEngine {
    /// - Parameters:
    ///   - mode: permission bits; `nil` leaves them.
    ///   - modified: seconds since 1970; `nil` leaves it.
    package func setAttributes(
        of number: ItemNumber, mode: UInt16?, modified: Double?
    ) throws(EditFailure) -> IndexedItem {
        try checkOpen()
        _ = try visible(number)
        try reading { () throws(IndexFailure) in
            try writeIndex { writer throws(IndexFailure) in
                try writer.update(number) { row in
                    if let mode { row.mode = mode }
                    if let modified { row.localModified = modified }
                }
            }
        }
        return try visible(number)
    }
}
