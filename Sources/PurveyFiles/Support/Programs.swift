import CAdwaita
import FileBrowser
import FileProvider
import FileProviderGTK

/// A program of the desktop that can open a file.
struct OpeningProgram {
    /// The name of the program's desktop file.
    let identifier: String
    let name: String
}

/// The programs that can open a file of a type. The type is determined by the name, because reading the contents would
/// fetch them.
@MainActor enum Programs {
    /// The maximum number of programs in a menu.
    private static let most = 20

    /// Returns the programs that can open a file, the default program first.
    static func all(for item: BrowserItem) -> [OpeningProgram] {
        var programs: [OpeningProgram] = []
        withInfos(of: item) { info in
            guard programs.count < most, let identifier = g_app_info_get_id(info).map({ String(cString: $0) }),
                !programs.contains(where: { $0.identifier == identifier })
            else { return }
            let name = g_app_info_get_display_name(info).map { String(cString: $0) } ?? identifier
            programs.append(OpeningProgram(identifier: identifier, name: name))
        }
        return programs
    }

    /// Opens a file with a program. Returns the reason if the program cannot be started, and `nil` if it was started.
    static func open(_ item: BrowserItem, with identifier: String, on display: OpaquePointer?) -> String? {
        guard let path = item.mountedPath, let uri = g_filename_to_uri(path, nil, nil) else {
            return "its domain is not mounted"
        }
        defer { g_free(uri) }
        var reason: String? = "the program is not installed any more"
        withInfos(of: item) { info in
            guard reason != nil, g_app_info_get_id(info).map({ String(cString: $0) }) == identifier else { return }
            reason = launch(info, uri, on: display)
        }
        return reason
    }

    private static func launch(_ info: OpaquePointer, _ uri: UnsafeMutablePointer<CChar>, on display: OpaquePointer?)
        -> String?
    {
        let context = gdk_display_get_app_launch_context(display)
        defer { if let context { g_object_unref(UnsafeMutableRawPointer(context)) } }
        let launch = context.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GAppLaunchContext.self) }
        let list = g_list_append(nil, uri)
        defer { g_list_free(list) }
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        guard g_app_info_launch_uris(info, list, launch, &error) == 0 else { return nil }
        return error.map { String(cString: $0.pointee.message) } ?? "it does not start"
    }

    /// Calls a closure with each `GAppInfo` for the type of a file.
    private static func withInfos(of item: BrowserItem, _ body: (OpaquePointer) -> Void) {
        guard let type = g_content_type_guess(item.name, nil, 0, nil) else { return }
        defer { g_free(type) }
        if let usual = g_app_info_get_default_for_type(type, 0) {
            body(usual)
            g_object_unref(usual.gtkAddress)
        }
        guard let list = g_app_info_get_all_for_type(type) else { return }
        var next: UnsafeMutablePointer<GList>? = list
        while let link = next {
            if let data = link.pointee.data {
                body(OpaquePointer(data))
                g_object_unref(data)
            }
            next = link.pointee.next
        }
        g_list_free(list)
    }
}
