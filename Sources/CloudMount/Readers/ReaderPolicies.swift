import CLinux
import Fuse
import LinuxSystem

/// The policy in force: the standard one with what a file says, which is read again when it is another one than before.
package final class ReaderPolicies: Sendable {
    private struct State {
        var policy: ReaderPolicy
        var mark: FileState?
    }

    private let path: String?
    // Innermost: the file is read inside of it, which is small.
    private let state: Lock<State>

    /// - Parameter path: of the file with the person's own names; it need not be there.
    package init(path: String?, policy: ReaderPolicy = ReaderPolicy()) {
        self.path = path
        state = Lock(State(policy: policy))
    }

    /// The most bytes of the file that are read.
    private static let limit = 1 << 16

    package var current: ReaderPolicy {
        guard let path else { return state.withLock { $0.policy } }
        let mark = (try? FileStatus.of(path)).map(FileState.init)
        return state.withLock { state in
            guard mark != state.mark else { return state.policy }
            state.mark = mark
            let bytes =
                mark == nil ? [] : (try? FileDescriptor.open(path, .readOnly).readToEnd(limit: Self.limit)) ?? []
            state.policy = ReaderPolicy(by: String(decoding: bytes, as: UTF8.self))
            return state.policy
        }
    }

    func refuses(_ caller: Caller) -> Bool { current.refuses(caller) }
}
