import FileTesting
import Foundation
import Glibc

/// A file manager that is tested.
enum Manager: String, CaseIterable, Sendable {
    case caja, nautilus, nemo, thunar

    var program: String { "/usr/bin/" + rawValue }

    /// The file managers whose tests run: the installed ones; with all cases of the tests (`make test-full`), all.
    static let wanted = allCases.filter { TestSample.isWhole || $0.isInstalled }
    /// The file managers among them that load extensions of Purvey.
    static let extensible = wanted.filter { $0.library != nil }

    /// The library that loads extensions in Python, beneath the directory of the machine's libraries.
    private var library: String? {
        switch self {
        case .caja: "caja/extensions-2.0/libcaja-python.so"
        case .nautilus: "nautilus/extensions-4/libnautilus-python.so"
        case .nemo: "nemo/extensions-3.0/libnemo-python.so"
        case .thunar: nil
        }
    }

    private var isInstalled: Bool {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
        // Without gvfs, there is no view of the trash.
        return access(program, X_OK) == 0 && access("/usr/libexec/gvfsd-trash", X_OK) == 0
            && (library.map { library in folders.contains { access("/usr/lib/\($0)/\(library)", F_OK) == 0 } } ?? true)
    }

    /// Returns the arguments for a window that shows a location, a path or a URL.
    func arguments(showing location: String) -> [String] {
        switch self {
        case .caja: ["--no-desktop", "--browser", location]
        case .nautilus: ["--new-window", location]
        case .nemo, .thunar: [location]
        }
    }

    /// The settings in the format of GLib's key files: a list with the column of the extension.
    var settings: String {
        let (preferences, list) =
            switch self {
            case .caja: ("org/mate/caja/preferences", "org/mate/caja/list-view")
            case .nautilus: ("org/gnome/nautilus/preferences", "org/gnome/nautilus/list-view")
            case .nemo: ("org/nemo/preferences", "org/nemo/list-view")
            case .thunar: ("none", "none")
            }
        return """
            [\(preferences)]
            default-folder-viewer='list-view'

            [\(list)]
            default-visible-columns=['name', 'size', 'Purvey::state']
            default-column-order=['name', 'size', 'Purvey::state']

            """
    }

    /// The settings of Thunar in the format of Xfconf: a list, and no thumbnails.
    static let thunarSettings = """
        <?xml version="1.0" encoding="UTF-8"?>
        <channel name="thunar" version="1.0">
          <property name="default-view" type="string" value="ThunarDetailsView"/>
          <property name="misc-thumbnail-mode" type="string" value="THUNAR_THUMBNAIL_MODE_NEVER"/>
        </channel>

        """
}
