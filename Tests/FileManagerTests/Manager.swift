import Foundation
import Glibc

/// A file manager that is tested.
enum Manager: String, CaseIterable, Sendable {
    case caja, nautilus, nemo, thunar

    var program: String { "/usr/bin/" + rawValue }

    /// The file managers whose tests run: all if `PURVEY_TESTS` is `desktops`, as in a step of `make test-full`;
    /// otherwise none. The trash of a file manager looks into every mount of the machine. The domains of other tests
    /// would then list their directories too early.
    static let wanted = getenv("PURVEY_TESTS").map { String(cString: $0) } == "desktops" ? allCases : []
    /// The tested file managers that load extensions in Python.
    static let extensible = wanted.filter { $0 != .thunar }

    /// Returns the arguments for a window that shows the given path or URL.
    func arguments(showing location: String) -> [String] {
        switch self {
        case .caja: ["--no-desktop", "--browser", location]
        case .nautilus: ["--new-window", location]
        case .nemo, .thunar: [location]
        }
    }

    /// The settings of the file manager in the format of GLib's key files. They select a list with the extension's
    /// column.
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

    /// The settings of Thunar in the format of Xfconf. They select a list without thumbnails.
    static let thunarSettings = """
        <?xml version="1.0" encoding="UTF-8"?>
        <channel name="thunar" version="1.0">
          <property name="default-view" type="string" value="ThunarDetailsView"/>
          <property name="misc-thumbnail-mode" type="string" value="THUNAR_THUMBNAIL_MODE_NEVER"/>
        </channel>

        """
}
