import CGIO

/// The proxies in the settings of GNOME and of desktops that share them (`org.gnome.system.proxy`), as environment
/// variables. Only manual settings are used. Scripts that choose proxies (PAC) are not run.
final class ProxySettings {
    private let root: UnsafeMutablePointer<GSettings>

    private static let schema = "org.gnome.system.proxy"

    /// Opens the settings. Returns `nil` if the desktop's settings are not installed.
    init?() {
        // Without this check, GLib would end the process if the settings are not installed.
        guard let source = g_settings_schema_source_get_default(),
            let schema = g_settings_schema_source_lookup(source, Self.schema, 1)
        else { return nil }
        defer { g_settings_schema_unref(schema) }
        guard let root = g_settings_new(Self.schema) else { return nil }
        self.root = root
    }

    deinit { g_object_unref(root) }

    /// Calls a handler after changes, on the thread of GLib's main loop.
    func onChange(_ handler: @escaping @Sendable () -> Void) {
        for settings in [root] + ["http", "https", "socks"].compactMap({ child($0) }) {
            let data = Unmanaged.passRetained(ChangeHandler(handler)).toOpaque()
            let callback: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
                if let data { Unmanaged<ChangeHandler>.fromOpaque(data).takeUnretainedValue().handle() }
            }
            // The children must exist until the process ends, so they are not released. SAFETY: GLib calls the callback
            // with the arguments of the signal (the settings and the key) and the user data.
            g_signal_connect_data(
                settings, "changed", unsafeBitCast(callback, to: GCallback.self), data, nil, GConnectFlags(rawValue: 0))
        }
    }

    private final class ChangeHandler {
        let handle: @Sendable () -> Void

        init(_ handle: @escaping @Sendable () -> Void) { self.handle = handle }
    }

    private func child(_ name: String) -> UnsafeMutablePointer<GSettings>? { g_settings_get_child(root, name) }

    /// The environment variables, `NAME=value`. They may contain a password.
    var variables: [String] {
        guard text(root, "mode") == "manual" else { return [] }
        let http = address("http", scheme: "http", login: login)
        // The only password in the settings is that of the HTTP proxy. It must not be sent to another host.
        let https = address("https", scheme: "http", login: host("https") == host("http") ? login : nil)
        let socks = address("socks", scheme: "socks5h", login: nil)
        let pairs = [("http_proxy", http), ("https_proxy", https), ("all_proxy", socks)]
        let variables = pairs.compactMap { name, value in value.map { "\(name)=\($0)" } }
        guard !variables.isEmpty else { return [] }
        let exceptions = texts(root, "ignore-hosts").map { $0.hasPrefix("*.") ? String($0.dropFirst()) : $0 }
        return variables + (exceptions.isEmpty ? [] : ["no_proxy=" + exceptions.joined(separator: ",")])
    }

    /// The user and password for the proxies, in the form that a URL requires.
    private var login: String? {
        guard let http = child("http") else { return nil }
        defer { g_object_unref(http) }
        guard g_settings_get_boolean(http, "use-authentication") != 0 else { return nil }
        let user = text(http, "authentication-user")
        return user.isEmpty ? nil : Self.escaped(user) + ":" + Self.escaped(text(http, "authentication-password"))
    }

    private func host(_ name: String) -> String {
        guard let settings = child(name) else { return "" }
        defer { g_object_unref(settings) }
        return text(settings, "host")
    }

    /// Returns the address of a proxy; `nil` if none is set.
    private func address(_ name: String, scheme: String, login: String?) -> String? {
        guard let settings = child(name) else { return nil }
        defer { g_object_unref(settings) }
        let (host, port) = (text(settings, "host"), g_settings_get_int(settings, "port"))
        guard !host.isEmpty, (1...65535).contains(port), Self.isHost(host) else { return nil }
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(scheme)://\(login.map { $0 + "@" } ?? "")\(name):\(port)"
    }

    private static func isHost(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || "0123456789.-_:[]%".unicodeScalars.contains($0))
        }
    }

    private static func escaped(_ text: String) -> String {
        guard let escaped = g_uri_escape_string(text, nil, 0) else { return "" }
        defer { g_free(escaped) }
        return String(cString: escaped)
    }

    private func text(_ settings: UnsafeMutablePointer<GSettings>, _ key: String) -> String {
        guard let value = g_settings_get_string(settings, key) else { return "" }
        defer { g_free(value) }
        return String(cString: value)
    }

    private func texts(_ settings: UnsafeMutablePointer<GSettings>, _ key: String) -> [String] {
        guard let values = g_settings_get_strv(settings, key) else { return [] }
        defer { g_strfreev(values) }
        var texts: [String] = []
        var next = values
        while let value = next.pointee {
            texts.append(String(cString: value))
            next += 1
        }
        return texts
    }
}
