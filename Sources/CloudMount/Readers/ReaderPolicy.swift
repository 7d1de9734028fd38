import Fuse
import Glibc
import LinuxSystem

/// Which programs get no file that is not on this machine: those that read whatever they find, and would have all of it fetched.
///
/// They are known by the names of their executables. It is a courtesy and no protection: who wants the bytes gets them under
/// another name.
package struct ReaderPolicy: Sendable, Equatable {
    /// The names of executables, without their folders.
    package var refused: Set<String>

    package init(refused: Set<String> = Self.standard) { self.refused = refused }

    /// Indexers and thumbnailers of the desktops.
    package static let standard: Set<String> = [
        "localsearch-3", "localsearch-extractor-3", "tracker-miner-fs", "tracker-miner-fs-3", "tracker-extract",
        "tracker-extract-3", "tracker-store",
        "baloo_file", "baloo_file_extractor", "recollindex", "beagled",
        "updatedb", "updatedb.mlocate", "updatedb.plocate", "mlocate", "plocate-build",
        "tumblerd", "gdk-pixbuf-thumbnailer", "glycin-thumbnailer", "gnome-thumbnail-font", "gsf-office-thumbnailer",
        "evince-thumbnailer", "papers-thumbnailer", "atril-thumbnailer", "xreader-thumbnailer",
        "totem-video-thumbnailer",
        "gst-thumbnailer", "gst-video-thumbnailer", "ffmpegthumbnailer", "mate-thumbnail-font", "bluez-thumbnailer",
        "raw-thumbnailer", "heif-thumbnailer", "folder-thumbnailer", "exe-thumbnailer", "epub-thumbnailer",
    ]

    /// The standard names with what a file of the person's says.
    ///
    /// - Parameter text: a name to a line; one after a `-` is no longer refused. Empty lines, and what follows a `#`, do not count.
    package init(by text: String) {
        refused = Self.standard
        for line in text.split(whereSeparator: \.isNewline) {
            let name = line.prefix { $0 != "#" }.filter { !$0.isWhitespace }
            if name.hasPrefix("-") {
                refused.remove(String(name.dropFirst()))
            } else if !name.isEmpty {
                refused.insert(name)
            }
        }
    }

    /// What the system keeps of a program's name in `/proc/PID/comm`.
    private static let shortName = 15

    /// Whether the process that asks is one of them. Does not wait for it: its command line is not looked at, because the kernel
    /// lets nobody have that while the process waits for a page of a file of ours.
    func refuses(_ caller: Caller) -> Bool {
        guard caller.processID > 0, !refused.isEmpty else { return false }
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/\(caller.processID)/exe", &buffer, buffer.count)
        if length > 0 {
            let path = String(decoding: buffer[..<length], as: UTF8.self)
            // As the system writes it where the program was replaced while it runs.
            let removed = " (deleted)"
            let whole = path.hasSuffix(removed) ? path.dropLast(removed.count) : path[...]
            return refused.contains(String(whole.split(separator: "/").last ?? ""))
        }
        // Another user's process, as an indexer of the whole machine is; a thread of it has a name of its own.
        guard let file = try? FileDescriptor.open("/proc/\(caller.processID)/comm", .readOnly),
            let bytes = try? file.readToEnd(limit: 64)
        else { return false }
        let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return refused.contains { $0 == name || $0.utf8.count > Self.shortName && $0.prefix(Self.shortName) == name }
    }
}
