import Glibc

extension MIMEDatabase {
    /// The database of this machine and user; `nil` if there is none.
    ///
    /// Its caches are `mime/mime.cache` in `XDG_DATA_HOME` and then in each of `XDG_DATA_DIRS` (XDG Base Directory
    /// Specification). It is opened at first use.
    package static let shared: MIMEDatabase? = MIMEDatabase(
        cachePaths: dataDirectories { name in getenv(name).map { String(cString: $0) } }.map { $0 + "/mime/mime.cache" }
    )

    /// Returns the data directories, the most important first. Relative ones are ignored, as the specification
    /// requires.
    package static func dataDirectories(_ environment: (String) -> String?) -> [String] {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let home = value("XDG_DATA_HOME") ?? value("HOME").map { $0 + "/.local/share" }
        let system = value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        var directories: [String] = []
        for directory in [home].compactMap({ $0 }) + system.split(separator: ":").map(String.init)
        where directory.hasPrefix("/") && !directories.contains(directory) {
            directories.append(directory)
        }
        return directories
    }
}
