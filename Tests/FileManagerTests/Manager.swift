import Foundation
import Glibc

/// A file manager that is tested.
enum Manager: String, CaseIterable, Sendable {
    case caja, nautilus, nemo, thunar

    var program: String { "/usr/bin/" + rawValue }

    /// The file managers whose tests run: all with `PURVEY_TESTS=desktops`, which a step of `make test-full` sets,
    /// otherwise none. Their view of the trash looks into each mount of the machine, and so makes the domains of other
    /// tests list their folders too early.
    static let wanted = getenv("PURVEY_TESTS").map { String(cString: $0) } == "desktops" ? allCases : []
    /// The file managers among them that load extensions of Purvey.
    static let extensible = wanted.filter { $0 != .thunar }

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
