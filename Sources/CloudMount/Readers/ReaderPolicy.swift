import CLinux
import Fuse
import Glibc
import LinuxSystem

/// The programs that are denied dataless files: those that read every file that they find, and file managers while they
/// guess the types of files. They would cause a fetch of all files.
///
/// Programs are recognized by the names of their executables. The policy saves transfers. It is no protection, because
/// a program with another name gets the contents.
package struct ReaderPolicy: Sendable, Equatable {
    /// The names of the executables that are denied dataless files at every open, without directories.
    package var refused: Set<String>
    /// The names of the executables that are denied opens with `O_NOATIME` only.
    package var guessing = Self.standardGuessing

    package init(refused: Set<String> = Self.standard) { self.refused = refused }

    /// The names of the indexers and thumbnailers of common desktops.
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

    /// The names of the programs that show files. If a file's name does not identify its type, these programs guess the
    /// type from the file's first bytes. GLib opens the file with `O_NOATIME` for this purpose only. If the open fails,
    /// GLib guesses from the name.
    package static let standardGuessing: Set<String> = [
        "caja", "gvfsd-trash", "nautilus", "nemo", "nemo-desktop", "pcmanfm", "thunar", "xdg-desktop-portal-gnome",
        "xdg-desktop-portal-gtk", "xdg-desktop-portal-xapp",
    ]

    /// Creates a policy from the standard names and the text of the user's file.
    ///
    /// - Parameter text: One name on each line. A name that is preceded by `-` is removed from the standard names.
    ///   Empty lines and text after `#` are ignored.
    package init(by text: String) {
        refused = Self.standard
        for line in text.split(whereSeparator: \.isNewline) {
            let name = line.prefix { $0 != "#" }.filter { !$0.isWhitespace }
            if name.hasPrefix("-") {
                refused.remove(String(name.dropFirst()))
                guessing.remove(String(name.dropFirst()))
            } else if !name.isEmpty {
                refused.insert(name)
            }
        }
    }

    /// The length to which the kernel truncates a program's name in `/proc/PID/comm`.
    private static let shortName = 15

    /// Whether the calling process runs one of the refused programs. The function never waits for that process. It does
    /// not read the process's command line, because the kernel blocks such a read while the process waits for a page of
    /// a file in the mount.
    ///
    /// - Parameter flags: The flags with which the process opens a file; empty for other requests.
    func refuses(_ caller: Caller, _ flags: OpenFlags = []) -> Bool {
        let refused = flags.contains(.noAccessTime) ? self.refused.union(guessing) : self.refused
        guard caller.processID > 0, !refused.isEmpty else { return false }
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/\(caller.processID)/exe", &buffer, buffer.count)
        if length > 0 {
            let path = String(decoding: buffer[..<length], as: UTF8.self)
            // The suffix that the kernel adds if the executable was replaced while the program runs.
            let removed = " (deleted)"
            let whole = path.hasSuffix(removed) ? path.dropLast(removed.count) : path[...]
            return refused.contains(String(whole.split(separator: "/").last ?? ""))
        }
        // The process belongs to another user, such as an indexer of the whole machine, so only its thread's name can
        // be read. Threads may have other names than their program.
        guard let file = try? FileDescriptor.open("/proc/\(caller.processID)/comm", .readOnly),
            let bytes = try? file.readToEnd(limit: 64)
        else { return false }
        let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return refused.contains { $0 == name || $0.utf8.count > Self.shortName && $0.prefix(Self.shortName) == name }
    }
}

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

    /// The maximum number of bytes read from the user's file.
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

    func refuses(_ caller: Caller, _ flags: OpenFlags = []) -> Bool { current.refuses(caller, flags) }
}
