import CAdwaita
import DomainMessages
import FileBrowser
import FileProvider
import FileProviderGTK
import ItemValues

/// Sizes, dates and kinds of items in words, and their icons.
@MainActor enum ItemWords {
    static func size(_ item: BrowserItem) -> String {
        guard !item.isFolder, let size = item.description.size else { return "" }
        return size == 1 ? "1 byte" : ByteCount.text(size)
    }

    /// Returns the modification date in words: only the time if it is today, otherwise the day. Empty if the date is
    /// unknown.
    static func date(_ item: BrowserItem) -> String { item.description.modified.map { date($0) } ?? "" }

    private static func date(_ seconds: Double) -> String {
        let now = g_get_real_time() / 1_000_000
        return format(seconds, isSameDay(seconds, now) ? "%H:%M" : "%-d %b %Y")
    }

    static func longDate(_ seconds: Double) -> String { format(seconds, "%-d %B %Y, %H:%M") }

    private static func isSameDay(_ seconds: Double, _ now: Int) -> Bool {
        abs(Double(now) - seconds) < 86_400 && format(seconds, "%F") == format(Double(now), "%F")
    }

    private static func format(_ seconds: Double, _ pattern: String) -> String {
        // The date comes from the provider and may have any value.
        guard abs(seconds) < 250_000_000_000, let time = g_date_time_new_from_unix_local(gint64(seconds)) else {
            return ""
        }
        defer { g_date_time_unref(time) }
        guard let text = g_date_time_format(time, pattern) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// The icons by content type. They are never released.
    private static var icons: [String: OpaquePointer] = [:]

    static func icon(_ item: BrowserItem) -> OpaquePointer? {
        guard !item.isFolder else { return icon("inode/directory") }
        // The whole name determines the type of a file such as `Makefile` or `x.tar.gz`.
        guard let type = g_content_type_guess(item.name, nil, 0, nil) else { return nil }
        defer { g_free(type) }
        return icon(String(cString: type))
    }

    private static func icon(_ type: String) -> OpaquePointer? {
        if let icon = icons[type] { return icon }
        let icon = type == "inode/directory" ? g_themed_icon_new("folder") : g_content_type_get_icon(type)
        icons[type] = icon
        return icon
    }

    /// Returns the kind of an item, such as “Plain text”.
    static func kind(_ item: BrowserItem) -> String {
        switch item.description.kind {
        case .folder: return "Folder"
        case .symbolicLink: return "Link"
        case .file: break
        }
        guard let type = g_content_type_guess(item.name, nil, 0, nil) else { return "File" }
        defer { g_free(type) }
        guard let words = g_content_type_get_description(type) else { return "File" }
        defer { g_free(words) }
        let text = String(cString: words)
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}

extension ItemCondition {
    /// The name of the badge's icon; `nil` for none.
    var icon: String? {
        switch self {
        case .inCloud: "weather-overcast-symbolic"
        case .partlyHere: "folder-download-symbolic"
        case .here: "emblem-ok-symbolic"
        case .kept: "view-pin-symbolic"
        case .uploading: "network-transmit-symbolic"
        case .waiting: "emoji-recent-symbolic"
        case .failed: "dialog-warning-symbolic"
        case .plain: nil
        }
    }
}

extension ItemWords {
    static func total(_ sizes: [Int64]) -> String {
        // The sizes come from the provider and may have any values.
        ByteCount.text(sizes.reduce(0) { $0.addingReportingOverflow(max($1, 0)).partialValue })
    }
}
