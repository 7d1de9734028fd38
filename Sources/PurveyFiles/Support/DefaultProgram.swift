import CAdwaita
import FileProviderGTK

/// Starts the default program for a file. GLib may read the beginning of the file to determine its type, and this read
/// may wait for a fetch. Therefore GLib's asynchronous function is used, which reads on a separate thread.
@MainActor enum DefaultProgram {
    private final class Failure {
        let report: @MainActor (String) -> Void

        init(_ report: @escaping @MainActor (String) -> Void) { self.report = report }
    }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - uri: the address of the file.
    ///   - display: the display for the program.
    ///   - failed: called with the reason if no program was started.
    static func open(_ uri: String, on display: OpaquePointer?, failed: @escaping @MainActor (String) -> Void) {
        let context = gdk_display_get_app_launch_context(display)
        defer { if let context { g_object_unref(UnsafeMutableRawPointer(context)) } }
        let launch = context.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GAppLaunchContext.self) }
        g_app_info_launch_default_for_uri_async(
            uri, launch, nil,
            { _, result, data in
                guard let data else { return }
                let failure = Unmanaged<Failure>.fromOpaque(data).takeRetainedValue()
                var error: UnsafeMutablePointer<GError>?
                guard g_app_info_launch_default_for_uri_finish(result, &error) == 0 else { return }
                let reason = error.map { String(cString: $0.pointee.message) } ?? "no program opens such files"
                g_clear_error(&error)
                let report = failure.report
                // GLib calls back in the main context in which the launch began. The main thread runs this context.
                MainActor.assumeIsolated { report(reason) }
            }, Unmanaged.passRetained(Failure(failed)).toOpaque())
    }
}
