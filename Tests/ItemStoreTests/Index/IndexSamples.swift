import FileTesting
import ItemStore
import ItemValues
import Testing

/// An index in a directory of its own.
final class IndexSample {
    let folder: TestFolder
    let path: String
    private(set) var index: Index

    init() throws {
        folder = try TestFolder()
        path = folder.path + "/index.db"
        index = try Index(path: path)
    }

    func reopen() throws {
        let empty = try Index(path: folder.path + "/other.db")
        index = empty
        index = try Index(path: path)
    }

    /// Applies items as a change feed reports them.
    @discardableResult
    func apply(_ items: ProviderItem...) throws -> AppliedItems {
        try index.write { writer throws(IndexError) in try writer.apply(items) }
    }

    @discardableResult
    func list(_ folder: ItemNumber, _ mark: Int64, _ items: [ProviderItem]) throws -> AppliedItems {
        try index.write { writer throws(IndexError) in try writer.apply(items, listedIn: folder, mark: mark) }
    }

    func remove(_ identifiers: String...) throws -> RemovedItems {
        try index.write { writer throws(IndexError) in try writer.remove(identifiers: identifiers) }
    }

    @discardableResult
    func update(_ number: ItemNumber, _ change: (inout IndexedItem) -> Void) throws -> IndexedItem? {
        try index.write { writer throws(IndexError) in try writer.update(number, change) }
    }

    func number(_ identifier: String) throws -> ItemNumber {
        try #require(try index.item(identifier: identifier)).number
    }

    /// Returns the identifiers of the items that a directory shows, by name.
    func shown(_ folder: ItemNumber = .root) throws -> [String: String] {
        var shown: [String: String] = [:]
        try index.children(of: folder) { item in
            shown[item.name] = item.item.identifier
            return true
        }
        return shown
    }
}

func file(_ identifier: String, _ name: String? = nil, in parent: String = ProviderItem.rootIdentifier) -> ProviderItem
{
    ProviderItem(identifier: identifier, parent: parent, filename: name ?? identifier, kind: .file)
}

func folder(
    _ identifier: String, _ name: String? = nil, in parent: String = ProviderItem.rootIdentifier
) -> ProviderItem {
    ProviderItem(identifier: identifier, parent: parent, filename: name ?? identifier, kind: .folder)
}

extension ProviderItem {
    func version(_ version: UInt8) -> ProviderItem {
        var item = self
        item.contentVersion = [version]
        return item
    }
}
