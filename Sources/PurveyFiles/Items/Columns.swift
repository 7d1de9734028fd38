import CAdwaita
import FileProviderGTK

/// The widths of the columns beside the name, in pixels, for the rows of the list and the header above them.
enum Columns {
    static let state: CInt = 150
    static let size: CInt = 90
    static let modified: CInt = 110
}

/// The columns for which a view has room.
enum Detail: Comparable {
    /// The name and the badge.
    case least
    /// The columns of ``least``, and the state in words and the size.
    case medium
    case all

    /// - Parameter width: the width of the view in pixels.
    init(width: CInt) { self = width >= 620 ? .all : width >= 470 ? .medium : .least }
}
