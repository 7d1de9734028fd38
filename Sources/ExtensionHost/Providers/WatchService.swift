import Conduit
import FileProvider
import Glibc
import LinuxSystem

/// Has the kernel watch folders for one process of a provider, which is not allowed to do so itself: with a path anybody's folder
/// can be watched, with a descriptor that is open for reading only what the process can list as well.
final class WatchService: Sendable {
    private struct State {
        var notices: FolderNotices?
        /// Folders that were added. Those that went since are taken off when there are too many.
        var added = 0
        var lastCount: ContinuousClock.Instant?
    }

    // Innermost.
    private let state = Lock(State())

    /// Serves the calls, one connection's.
    func serve(in service: inout Service) {
        service.on(ProviderNoticesCall.self) { _, call in
            self.answer(call) { () throws(Errno) in ProviderNotices(descriptor: try self.begin().descriptor) }
        }
        service.on(ProviderWatchCall.self) { request, call in
            // The file system of a folder may be slow to answer.
            HandlerThreads.shared.run {
                self.answer(call) { () throws(Errno) in ProviderWatch(number: try self.watch(request.folder)) }
            }
        }
    }

    /// What the process has had watched, for when it is not there; `nil` if nothing.
    var watched: FolderNotices? { state.withLock { $0.added > 0 ? $0.notices : nil } }

    private func answer<C: Call>(_ call: ServedCall<C>, _ body: () throws(Errno) -> C.Reply) {
        do throws(Errno) {
            call.reply(try body())
        } catch {
            call.fail(domain: ProviderWatchCall.failureDomain, code: Int64(error.rawValue), message: "\(error)")
        }
    }

    private func begin() throws(Errno) -> FolderNotices {
        try state.withLock { state throws(Errno) in
            if let notices = state.notices { return notices }
            let notices = try FolderNotices()
            state.notices = notices
            return notices
        }
    }

    private func watch(_ folder: FileDescriptor) throws(Errno) -> FolderNotices.Number {
        let notices = try begin()
        try state.withLock { state throws(Errno) in
            if state.added >= Self.limit, state.lastCount.map({ .now - $0 >= Self.countPause }) ?? true {
                state.lastCount = .now
                state.added = try notices.folderCount()
            }
            guard state.added < Self.limit else { throw .noSpace }
            state.added += 1
        }
        return try notices.add(folder)
    }

    /// Counting takes a while, and somebody without room may go on asking.
    private static let countPause: Duration = .seconds(10)

    /// A quarter of what the system allows to a user: other providers and programs want some too.
    private static let limit: Int = {
        let file = try? FileDescriptor.open("/proc/sys/fs/inotify/max_user_watches", [.readOnly])
        let digits = (try? file?.readToEnd(limit: 64))?.prefix { (48...57).contains($0) } ?? []
        return min((Int(String(decoding: digits, as: UTF8.self)) ?? 8192) / 4, 65_536)
    }()
}
