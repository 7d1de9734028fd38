import ItemValues

/// A file or directory in the local view of the provider's trash. Nodes have numbers of their own, because items in the
/// trash have no row in the index.
package struct TrashNode: Sendable, Equatable {
    /// The directory of the trash view that contains the node.
    package enum Place: Sendable, Equatable {
        /// The top directory of the view. Only plain files that a file manager stores there are in it.
        case top
        /// The directory of the items in the trash. A node in this directory that has no item represents only an info
        /// file, which has the name ``infoName``.
        case files
        /// A directory in the trash, given by the number of its node.
        case folder(Int64)
    }

    package let number: Int64
    package var place: Place
    /// The name of the node in ``place``.
    package var name: String
    /// The trashed item, with its present identifier; `nil` for a plain file.
    package var item: ProviderItem?
    /// The number of the item in the index, until its move to the trash has been sent; then `nil`.
    package var pending: ItemNumber?
    /// The name of the node's info file, which contains the former path; `nil` if there is no such file.
    package var infoName: String?
    /// The bytes of the info file, or of the plain file, as a program wrote them; `nil` if no program wrote any.
    package var bytes: [UInt8]?
    /// The path of the item before it was trashed, relative to the root of the domain.
    package var path: String
    /// The date on which the item was moved to the trash, as far as it is known, in seconds since 1970.
    package var date: Double

    package init(
        number: Int64, place: Place, name: String, item: ProviderItem? = nil, infoName: String? = nil,
        bytes: [UInt8]? = nil, path: String = "", date: Double
    ) {
        self.number = number
        self.place = place
        self.name = name
        self.item = item
        self.infoName = infoName
        self.bytes = bytes
        self.path = path
        self.date = date
    }
}

extension TrashNode {
    private struct Fields: OptionSet {
        let rawValue: UInt8
        static let item = Fields(rawValue: 1 << 0)
        static let pending = Fields(rawValue: 1 << 1)
        static let infoName = Fields(rawValue: 1 << 2)
        static let bytes = Fields(rawValue: 1 << 3)
    }

    /// The numbers by which a row denotes ``Place/top`` and ``Place/files``.
    private static let topNumber: Int64 = 0
    private static let filesNumber: Int64 = 1

    fileprivate func write(to writer: inout ByteWriter) {
        var fields: Fields = []
        if item != nil { fields.insert(.item) }
        if pending != nil { fields.insert(.pending) }
        if infoName != nil { fields.insert(.infoName) }
        if bytes != nil { fields.insert(.bytes) }
        writer.byte(fields.rawValue)
        switch place {
        case .top: writer.signed(Self.topNumber)
        case .files: writer.signed(Self.filesNumber)
        case .folder(let number): writer.signed(number)
        }
        writer.text(name)
        writer.text(path)
        writer.double(date)
        if let pending { writer.signed(pending.rawValue) }
        if let infoName { writer.text(infoName) }
        if let bytes { writer.counted(bytes) }
        if let item { PackedItem.write(item, to: &writer) }
    }

    fileprivate init(number: Int64, _ reader: inout ByteReader) throws(IndexError) {
        let fields = Fields(rawValue: try reader.byte())
        let place: Place =
            switch try reader.signed() {
            case Self.topNumber: .top
            case Self.filesNumber: .files
            case let number: .folder(number)
            }
        self.init(number: number, place: place, name: try reader.text(), path: try reader.text(), date: 0)
        date = try reader.double()
        if fields.contains(.pending) { pending = ItemNumber(rawValue: try reader.signed()) }
        if fields.contains(.infoName) { infoName = try reader.text() }
        if fields.contains(.bytes) { bytes = try reader.array() }
        if fields.contains(.item) { item = try PackedItem.readProvider(&reader) }
    }
}

extension IndexWriter {
    /// Stores a node of the local view of the trash.
    package mutating func put(_ node: TrashNode) throws(IndexError) {
        var bytes = ByteWriter()
        node.write(to: &bytes)
        let statement = try state.connection.statement(
            "INSERT OR REPLACE INTO trash_nodes (number, data) VALUES (?1, ?2)")
        statement.bind(1, node.number)
        statement.bind(2, kept: bytes.bytes)
        try statement.run()
    }

    /// Deletes a node of the local view of the trash.
    package mutating func removeTrashNode(_ number: Int64) throws(IndexError) {
        let statement = try state.connection.statement("DELETE FROM trash_nodes WHERE number = ?1")
        statement.bind(1, number)
        try statement.run()
    }
}

extension Index {
    /// Returns the stored nodes of the local view of the trash, in the order of their numbers.
    package func trashNodes() throws(IndexError) -> [TrashNode] {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT number, data FROM trash_nodes ORDER BY number")
            defer { statement.reset() }
            var nodes: [TrashNode] = []
            while try statement.step() {
                var reader = ByteReader(statement.bytes(1))
                nodes.append(try TrashNode(number: statement.integer(0), &reader))
            }
            return nodes
        }
    }
}
