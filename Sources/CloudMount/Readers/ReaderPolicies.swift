import CLinux
import Fuse
import LinuxSystem

/// The current policy: the standard policy, modified by a file. The file is read again when it changes.
package final class ReaderPolicies: Sendable {
    private struct State {
        var policy: ReaderPolicy
        var mark: FileState?
    }

    private let path: String?
    // Leaf lock. The file, which is small, is read under it.
    private let state: Lock<State>

    /// - Parameter path: The path of the user's file, which need not exist.
    package init(path: String?, policy: ReaderPolicy = ReaderPolicy()) {
        self.path = path
        state = Lock(State(policy: policy))
    }

    /// The limit on the bytes read from the file.
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
