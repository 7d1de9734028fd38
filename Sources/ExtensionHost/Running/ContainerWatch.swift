import LinuxSystem

/// Watches the number of files in a process's directories, and their size on disk. Without this watch, a confined
/// process could fill the user's disk, or use up the disk's inodes.
///
/// A separate thread walks the directories. It pauses between walks, so that it walks for at most a fiftieth of the
/// time.
package final class ContainerWatch: Sendable {
    /// The limits for all files of an extension together: the files in its container, and in the directories that it
    /// shares with other programs.
    package struct Limits: Sendable {
        package let entries: Int
        package let bytes: Int

        package init(entries: Int, bytes: Int) {
            self.entries = entries
            self.bytes = bytes
        }

        package static let ofAction = Limits(entries: 200_000, bytes: 16 << 30)
        /// The limits for file providers. They are higher because a provider may store copies of its service's files.
        package static let ofProvider = Limits(entries: 4_000_000, bytes: 1 << 40)

        /// Returns the reason to end the process; `nil` if the files are within these limits. `nameless` is the number
        /// of bytes of files without a name.
        fileprivate func excess(of content: FolderContent, and nameless: Int) -> (
            reason: ExtensionEnding.Reason, status: Int
        )? {
            if content.entries > entries { return (.madeTooManyFiles, entries) }
            return content.bytes + nameless > bytes ? (.tookTooMuchRoom, bytes >> 20) : nil
        }
    }

    private struct State {
        var isWalking = false
        var next = ContinuousClock.now + ContainerWatch.interval
        /// The number of files and bytes that the last walk found.
        var content = FolderContent()
    }

    private static let interval = Duration.seconds(10)

    private let folders: [String]
    private let limits: Limits
    // Leaf lock.
    private let state = Lock(State())

    init(_ folders: [String], _ limits: Limits) {
        self.folders = folders
        self.limits = limits
    }

    /// Returns the reason to end the process, or `nil` if its directories were within the limits in the last walk.
    /// Starts the next walk if it is due. Does not block.
    ///
    /// - Parameter nameless: The number of bytes of open files without a name, which a walk does not find.
    func excess(nameless: Int) -> (reason: ExtensionEnding.Reason, status: Int)? {
        let (content, isDue) = state.withLock { state in
            let isDue = !state.isWalking && ContinuousClock.now >= state.next
            if isDue { state.isWalking = true }
            return (state.content, isDue)
        }
        if isDue {
            do {
                try SystemThread.start("container") { self.walk() }
            } catch {
                finish(nil, taking: .zero)
            }
        }
        return limits.excess(of: content, and: nameless)
    }

    private func walk() {
        let clock = ContinuousClock()
        let begin = clock.now
        let content = FolderContent(of: folders, limits)
        finish(content, taking: clock.now - begin)
    }

    private func finish(_ content: FolderContent?, taking time: Duration) {
        state.withLock { state in
            state.isWalking = false
            state.next = .now + max(Self.interval, time * 50)
            state.content = content ?? state.content
        }
    }

    /// Walks the given directories, and returns the first limit that is exceeded; `nil` if the files are within the
    /// limits. Blocks on the file system.
    ///
    /// - Parameter nameless: The number of bytes of open files without a name, which a walk does not find.
    package static func excess(
        in folders: [String], _ limits: Limits, nameless: Int = 0
    ) -> (reason: ExtensionEnding.Reason, status: Int)? {
        limits.excess(of: FolderContent(of: folders, limits), and: nameless)
    }
}
