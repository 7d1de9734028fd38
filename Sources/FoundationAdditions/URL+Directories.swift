import Foundation

/// The user's directories, under the names that Foundation has used since macOS 13 and iOS 16. Their paths come from
/// `FileManager`, which reads the environment and the user's configuration. A directory that neither of them sets is in
/// the home directory.
extension URL {
    /// The directory of the user's programs.
    public static var applicationDirectory: URL { directory(.applicationDirectory, "Applications") }
    /// The directory of programs' own data.
    public static var applicationSupportDirectory: URL { directory(.applicationSupportDirectory, ".local/share") }
    /// The directory of data that programs can create again.
    public static var cachesDirectory: URL { directory(.cachesDirectory, ".cache") }
    /// The directory of the user's desktop.
    public static var desktopDirectory: URL { directory(.desktopDirectory, "Desktop") }
    /// The directory of the user's documents.
    public static var documentsDirectory: URL { directory(.documentDirectory, "Documents") }
    /// The directory of the user's downloads.
    public static var downloadsDirectory: URL { directory(.downloadsDirectory, "Downloads") }
    /// The directory of programs' settings and support files.
    public static var libraryDirectory: URL { directory(.libraryDirectory, "Library") }
    /// The directory of the user's films.
    public static var moviesDirectory: URL { directory(.moviesDirectory, "Videos") }
    /// The directory of the user's music.
    public static var musicDirectory: URL { directory(.musicDirectory, "Music") }
    /// The directory of the user's pictures.
    public static var picturesDirectory: URL { directory(.picturesDirectory, "Pictures") }
    /// The directory of the items that the user shares with others.
    public static var sharedPublicDirectory: URL { directory(.sharedPublicDirectory, "Public") }
    /// The directory of the user's trash, at the location that Linux desktops use.
    public static var trashDirectory: URL {
        applicationSupportDirectory.appendingPathComponent("Trash/files", isDirectory: true)
    }
    /// The directory of the users' home directories.
    public static var userDirectory: URL { URL(fileURLWithPath: "/home", isDirectory: true) }

    private static func directory(_ name: FileManager.SearchPathDirectory, _ fallback: String) -> URL {
        let known = FileManager.default.urls(for: name, in: .userDomainMask).first?.path
        // `isDirectory` is passed because Foundation cannot find out the kind of a directory that does not exist yet.
        return URL(fileURLWithPath: known ?? NSHomeDirectory() + "/" + fallback, isDirectory: true)
    }
}
