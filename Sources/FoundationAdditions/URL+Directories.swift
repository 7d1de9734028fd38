import Foundation

/// The user's folders, by the names that they have since macOS 13 and iOS 16. They are where `FileManager` finds them: where
/// the environment or the user's configuration says, else in the home folder.
extension URL {
    /// The folder of the user's programs.
    public static var applicationDirectory: URL { directory(.applicationDirectory, "Applications") }
    /// The folder of what programs keep for themselves.
    public static var applicationSupportDirectory: URL { directory(.applicationSupportDirectory, ".local/share") }
    /// The folder of what programs can make again.
    public static var cachesDirectory: URL { directory(.cachesDirectory, ".cache") }
    /// The user's desktop.
    public static var desktopDirectory: URL { directory(.desktopDirectory, "Desktop") }
    /// The folder of the user's documents.
    public static var documentsDirectory: URL { directory(.documentDirectory, "Documents") }
    /// The folder of what the user has downloaded.
    public static var downloadsDirectory: URL { directory(.downloadsDirectory, "Downloads") }
    /// The folder of settings and other things of programs.
    public static var libraryDirectory: URL { directory(.libraryDirectory, "Library") }
    /// The folder of the user's films.
    public static var moviesDirectory: URL { directory(.moviesDirectory, "Videos") }
    /// The folder of the user's music.
    public static var musicDirectory: URL { directory(.musicDirectory, "Music") }
    /// The folder of the user's pictures.
    public static var picturesDirectory: URL { directory(.picturesDirectory, "Pictures") }
    /// The folder of what the user shares with others.
    public static var sharedPublicDirectory: URL { directory(.sharedPublicDirectory, "Public") }
    /// The user's trash, where desktops have it.
    public static var trashDirectory: URL {
        applicationSupportDirectory.appendingPathComponent("Trash/files", isDirectory: true)
    }
    /// The folder of the users' homes.
    public static var userDirectory: URL { URL(fileURLWithPath: "/home", isDirectory: true) }

    private static func directory(_ name: FileManager.SearchPathDirectory, _ fallback: String) -> URL {
        let known = FileManager.default.urls(for: name, in: .userDomainMask).first?.path
        // Folders, even where they are not there yet.
        return URL(fileURLWithPath: known ?? NSHomeDirectory() + "/" + fallback, isDirectory: true)
    }
}
