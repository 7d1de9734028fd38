import LinuxSystem

/// What listings, changes and contents tell the edits. All of it happens on the engine's thread.
extension DomainEngine {
    /// The contents of a file that is open, or was just closed, are others than they were: journalled before this returns. May be
    /// told again and again of one file.
    ///
    /// - Parameters:
    ///   - size: bytes.
    ///   - modified: seconds since 1970.
    func noteEdited(_ number: ItemNumber, size: Int64, modified: Double) throws(Errno) {}

    /// A file that was open for writing is not any more: it may be sent. Comes after ``noteEdited(_:size:modified:)``, if that came.
    func noteClosed(_ number: ItemNumber) {}

    /// The provider has other contents of files that were edited here.
    func noteConflicts(_ numbers: [ItemNumber]) {}

    /// The provider does not have items any more that were changed here.
    func noteRemovedByProvider(_ numbers: [ItemNumber]) {}

    /// The provider has something to tell: what waits for it may be asked for again.
    func noteSignal() {}

    /// Puts right at the start what a crash left: after the index was opened, before anything is asked of the provider.
    func recoverEdits() throws {}

    /// Ends what is under way, for the engine's end.
    func closeEdits() async {}
}
