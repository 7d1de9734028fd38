import LinuxSystem

/// A watch of the number of files in a container, and of their bytes on disk: a confined process could fill the user's
/// disk, or use up its inodes.
///
/// It walks the container on a thread of its own now and then, seldom enough to take a fiftieth of that thread's time.
package final class ContainerWatch: Sendable {
    /// The limits of a container.
    package struct Limits: Sendable {
        package let entries: Int
        package let bytes: Int

        package init(entries: Int, bytes: Int) {
            self.entries = entries
            self.bytes = bytes
        }

        package static let ofAction = Limits(entries: 200_000, bytes: 16 << 30)
        /// A provider may keep the files of its service itself.
        package static let ofProvider = Limits(entries: 4_000_000, bytes: 1 << 40)
    }

    private struct State {
        var isWalking = false
        var next = ContinuousClock.now + ContainerWatch.interval
        var excess: (reason: ExtensionEnding.Reason, status: Int)?
    }

    private static let interval = Duration.seconds(10)

    private let path: String
    private let limits: Limits
    // Leaf lock.
    private let state = Lock(State())

    init(_ path: String, _ limits: Limits) {
        self.path = path
        self.limits = limits
    }

    /// Returns the reason to end the process, or `nil` while its container is within the limits, as of the last walk.
    /// Starts a walk if one is due; does not block.
    func excess() -> (reason: ExtensionEnding.Reason, status: Int)? {
        let (excess, isDue) = state.withLock { state in
            let isDue = !state.isWalking && ContinuousClock.now >= state.next
            if isDue { state.isWalking = true }
            return (state.excess, isDue)
        }
        if isDue {
            do {
                try SystemThread.start("container") { self.walk() }
            } catch {
                finish(nil, taking: .zero)
            }
        }
        return excess
    }

    private func walk() {
        let clock = ContinuousClock()
        let begin = clock.now
        let found = Self.excess(in: path, limits)
        finish(found, taking: clock.now - begin)
    }

    private func finish(_ excess: (reason: ExtensionEnding.Reason, status: Int)?, taking time: Duration) {
        state.withLock { state in
            state.isWalking = false
            state.next = .now + max(Self.interval, time * 50)
            state.excess = excess ?? state.excess
        }
    }

    /// Walks a container, and ends at the first limit that is passed. Blocks on the file system.
    package static func excess(in path: String, _ limits: Limits) -> (reason: ExtensionEnding.Reason, status: Int)? {
        guard let root = try? FileDescriptor.open(path, [.readOnly, .directory, .noFollow]),
            var walker = try? TreeWalker(root: root, opensFiles: false)
        else { return nil }
        var (entries, bytes) = (0, 0)
        // The process changes the tree meanwhile: what cannot be read then counts at the next walk.
        while let event = try? walker.next() {
            switch event {
            case .file(let entry, _):
                entries += 1
                bytes += entry.status.allocatedSize
            case .enter(let entry): entries += entry.name == nil ? 0 : 1
            case .link, .special: entries += 1
            case .leave: break
            }
            if entries > limits.entries { return (.madeTooManyFiles, limits.entries) }
            if bytes > limits.bytes { return (.tookTooMuchRoom, limits.bytes >> 20) }
        }
        return nil
    }
}
