import Conduit
import ItemValues

/// A request for the identifier of the item whose file is at a path in the document storage.
package struct ProviderIdentifyCall: ProviderCall, SchemaMessage {
    package typealias Reply = ProviderReply<Value>
    package static var method: UInt64 { 40 }
    /// The absolute path of the file in the provider's document storage.
    package let path: String

    package init(path: String) { self.path = path }

    package static let schema = Schema(Self.init, Field(0, \.path))

    package struct Value: SchemaMessage {
        /// The item's identifier; `nil` if no item has its file at this path.
        package let identifier: String?

        package init(identifier: String?) { self.identifier = identifier }

        package static let schema = Schema(Self.init, Field(0, \.identifier))
            .checked { value throws(MessageError) in
                let length = value.identifier?.utf8.count ?? 0
                guard length <= ProviderItem.longestText else { throw .invalid("an identifier of \(length) bytes") }
            }
    }
}

/// A request to provide an item's file in the document storage, because a program is about to open the file. The
/// provider reports progress in bytes.
package struct ProviderStartCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { 41 }
    package let identifier: String
    package let path: String
    /// Whether the contents of the file are needed. If `false`, a placeholder suffices.
    package let wantsContents: Bool

    package init(identifier: String, path: String, wantsContents: Bool) {
        self.identifier = identifier
        self.path = path
        self.wantsContents = wantsContents
    }

    package static let schema = Schema(Self.init, Field(0, \.identifier), Field(1, \.path), Field(2, \.wantsContents))
}

/// A request that informs the provider that a program has changed the file of an item in the document storage.
package struct ProviderChangedCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { 42 }
    package let identifier: String
    package let path: String

    package init(identifier: String, path: String) {
        self.identifier = identifier
        self.path = path
    }

    package static let schema = Schema(Self.init, Field(0, \.identifier), Field(1, \.path))
}
