import CAdwaita
import FileProviderGTK
import Glibc

/// The connection of the main dispatch queue to GLib's main loop, so that tasks of the main actor run while GLib's main
/// loop runs.
enum MainQueue {
    /// Serves the main queue from GLib's default main context.
    static func attach() {
        g_unix_fd_add(
            _dispatch_get_main_queue_handle_4CF(), G_IO_IN,
            { descriptor, _, _ in
                var count: UInt64 = 0
                // The queue signals again if more work arrives while its blocks run.
                _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
                _dispatch_main_queue_callback_4CF(nil)
                return 1
            }, nil)
    }
}
