import Glibc

/// Calls whose result in a mount differs from that on a disk, for a reason that Documentation/POSIX.md states.
struct MountException: Sendable {
    /// The reason, as the documentation names it.
    let reason: String
    /// The names of the calls, as patterns of fnmatch(3).
    let calls: [String]
    /// The result in a mount, as a pattern of the same kind.
    let outcome: String

    init(_ reason: String, _ calls: String..., outcome: String) {
        self.reason = reason
        self.calls = calls
        self.outcome = outcome
    }

    func covers(_ call: String, _ outcome: String) -> Bool {
        fnmatch(self.outcome, outcome, 0) == 0 && calls.contains { fnmatch($0, call, 0) == 0 }
    }

    static let all = [
        MountException(
            "Owners", "chown: to another", "chown: to another group", "chown: a link to another",
            outcome: "Operation not permitted"),
        MountException("Owners", "chown: its status then", outcome: "*ours*"),
        MountException("Hard links", "link: a file", "link: a symbolic link", outcome: "Operation not permitted"),
        MountException("Hard links", "link: names of the file", outcome: "1"),
        MountException("Hard links", "link: the names", outcome: #"*"a", "folder", "symbolic"*"#),
        MountException("Links of folders", "mkdir: links of a folder with one in it", outcome: "1"),
        MountException(
            "Names", "names and paths: a name that is not UTF-8", "symbolic links: to a path that is not UTF-8",
            outcome: "Invalid or incomplete multibyte or wide character"),
        MountException(
            "Names", "names and paths: looking for a name that is not UTF-8", outcome: "No such file or directory"),
        MountException(
            "Names", "names and paths: a name with a line's end", "names and paths: a name with an escape",
            outcome: "Invalid argument"),
        MountException(
            "Pipes, sockets and devices", "nodes: a pipe", "nodes: a socket", "nodes: a device",
            outcome: "Operation not permitted"),
        MountException(
            "Files without a name", "open without a name: a file without a name", outcome: "Operation not supported"),
        MountException(
            "Files without a name", "a file without a name: opened anew and written to",
            outcome: "No such file or directory"),
        MountException("Files without a name", "a file without a name: its bytes at the end", outcome: "te"),
        MountException(
            "Cutting a file to its size", "truncate: to what it is, a, *", "ftruncate: to what it is, a, *",
            outcome: "the same"),
        // This concerns files that are passed through, so not those of a user without privileges.
        MountException("Appending that fcntl ends", "append no more: all of it", outcome: "beginB"),
        // The date of the contents is shown instead.
        MountException("When a file was read", "utimensat: *, last read", outcome: "1100000000 s 5000 ns"),
        MountException("Parts of a microsecond", "utimensat: a nanosecond, contents", outcome: "7 s 0 ns"),
    ]
}
