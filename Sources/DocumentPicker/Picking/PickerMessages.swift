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

/// The failures in replies of the program that started the picker.
package enum PickFailure: Int64, Sendable {
    /// An item does not exist any more, or cannot be handed over.
    case unusable = 1
    /// The program refuses the picked items. The message states the reason.
    case refused = 2

    /// The domain of these failures.
    package static let domain = "DocumentPicker"
}

extension ServedCall {
    /// Replies with a failure of a pick.
    func fail(_ failure: PickFailure, _ message: String) {
        fail(domain: PickFailure.domain, code: failure.rawValue, message: message)
    }
}

/// A report of the items that the user picked. After the reply, the picker ends unless it is a document browser. If the
/// program refuses the items, the picker stays open.
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

/// A request for a new document in a folder. The program that started the picker creates the document, and replies
/// with its name in the folder. The reply may take long, because the program may ask the user.
package struct NewDocumentCall: Call, SchemaMessage {
    package typealias Reply = ChosenName
    package static var method: UInt64 { 3 }
    let folder: PickedItem

    package init(folder: PickedItem) { self.folder = folder }

    package static let schema = Schema(Self.init, Field(0, \.folder))
}

/// The program's request to show an item in the picker.
package struct RevealCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { 4 }
    package let path: String

    package init(path: String) { self.path = path }

    package static let schema = Schema(Self.init, Field(0, \.path))
}

/// A request to accept the name of a new file. The program replies with the name to use. The picker sends this request
/// before it asks the user whether to replace an existing file.
package struct NewNameCall: Call, SchemaMessage {
    package typealias Reply = ChosenName
    package static var method: UInt64 { 5 }
    let name: String

    package init(name: String) { self.name = name }

    package static let schema = Schema(Self.init, Field(0, \.name))
}

/// The name of a new file, as the program that started the picker has chosen it.
package struct ChosenName: SchemaMessage {
    /// The name; `nil` if the program refuses the suggested name, or has created no document.
    package let name: String?

    init(name: String?) { self.name = name }

    package static let schema = Schema(Self.init, Field(0, \.name))
}
