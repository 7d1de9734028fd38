import Conduit
import FileCoordination
import Foundation
import LinuxSystem

/// A picked item as the picker sends it: a bookmark of an existing item, or a bookmark of a folder and the name of a
/// file in it that may not exist yet. A bookmark grants access only to the process that receives it, which may be
/// confined.
package struct PickedItem: SchemaMessage {
    let bookmark: ByteString
    let name: String?

    init(bookmark: ByteString, name: String?) {
        self.bookmark = bookmark
        self.name = name
    }

    package static let schema = Schema(Self.init, Field(0, \.bookmark), Field(1, \.name))

    /// Creates the item for a path, or for a file named `newName` in the directory at that path. Blocks on the file
    /// system.
    package init(path: String, newName: String? = nil) throws {
        let bookmark = try URL(fileURLWithPath: path).bookmarkData()
        self.init(bookmark: ByteString(Array(bookmark)), name: newName)
    }

    /// Finds the item. Blocks on the file system.
    func resolve() throws -> URL {
        guard name.map({ FileName($0) != nil }) ?? true else { throw CocoaError(.fileReadInvalidFileName) }
        var isStale = false
        let url = try URL(resolvingBookmarkData: Data(bookmark.bytes), bookmarkDataIsStale: &isStale)
        return name.map { url.appendingPathComponent($0, isDirectory: false) } ?? url
    }
}

/// A report of the items that the user picked. After the reply, the picker ends unless it is a document browser.
package struct PickCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { 1 }
    let items: [PickedItem]

    package init(items: [PickedItem]) { self.items = items }

    package static let schema = Schema(Self.init, Field(0, \.items))
}

/// A report that the user closed the picker. If the connection ends without this report and without a pick, the picker
/// has failed.
package struct DismissCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { 2 }

    package init() {}

    package static let schema = Schema(Self.init)
}

/// A request for a new document in a folder. The program that started the picker creates the document. The reply may
/// take long, because the program may ask the user.
package struct NewDocumentCall: Call, SchemaMessage {
    package static var method: UInt64 { 3 }
    let folder: PickedItem

    package init(folder: PickedItem) { self.folder = folder }

    package static let schema = Schema(Self.init, Field(0, \.folder))

    package struct Reply: SchemaMessage {
        /// The name of the new document in the folder; `nil` if the program created none.
        package let name: String?

        init(name: String?) { self.name = name }

        package static let schema = Schema(Self.init, Field(0, \.name))
    }
}

/// The program's request to show an item in the picker.
package struct RevealCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { 4 }
    package let path: String

    package init(path: String) { self.path = path }

    package static let schema = Schema(Self.init, Field(0, \.path))
}
