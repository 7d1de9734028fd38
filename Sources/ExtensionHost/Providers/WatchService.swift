import Conduit
import Dispatch
import FileProviderWire
import Glibc
import LinuxSystem

/// Watches directories for one process of a provider. The process must not use inotify itself, because it could then
/// watch any directory of the user by its path. Instead, the process sends a descriptor of the directory. The
/// descriptor must be open for reading. The confinement permits this only for directories that the process may list.
final class WatchService: Sendable {
    private struct State {
        var notices: FolderNotices?
        /// The number of directories that were added. When it reaches the limit, it is replaced by the number of
        /// directories that are still watched.
        var added = 0
        var lastCount: ContinuousClock.Instant?
    }

    // Leaf lock.
    private let state = Lock(State())

    /// Adds the handlers of the calls that one connection makes.
    func serve(in service: inout Service) {
        // The queue is serial. A directory's file system may be slow, and a process that sends many such directories
        // delays only itself.
        let disk = DispatchQueue(label: "purvey.watches")
        service.on(ProviderNoticesCall.self) { _, call in
            self.answer(call) { () throws(Errno) in ProviderNotices(descriptor: try self.begin().descriptor) }
        }
        service.on(ProviderWatchCall.self) { request, call in
            disk.async {
                self.answer(call) { () throws(Errno) in ProviderWatch(number: try self.watch(request.folder)) }
            }
        }
    }

    /// The watched directories, to be used after the end of the process; `nil` if there are none.
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

    /// The minimum time between counts of the watched directories. Counting is slow, and a process that has reached the
    /// limit may repeat its requests.
    private static let countPause: Duration = .seconds(10)

    /// The maximum number of watched directories: a quarter of the user's limit of inotify watches, because other
    /// providers and programs need watches, too.
    private static let limit: Int = {
        let file = try? FileDescriptor.open("/proc/sys/fs/inotify/max_user_watches", [.readOnly])
        let digits = (try? file?.readToEnd(limit: 64))?.prefix { (48...57).contains($0) } ?? []
        return min((Int(String(decoding: digits, as: UTF8.self)) ?? 8192) / 4, 65_536)
    }()
}
