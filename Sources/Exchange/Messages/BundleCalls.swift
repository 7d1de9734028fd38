import Conduit

/// Registers the bundle in a directory.
package struct RegisterBundleCall: Call, SchemaMessage {
    package typealias Reply = BundleDescription
    package static var method: UInt64 { DaemonMethod.registerBundle }
    package let path: String

    package init(path: String) { self.path = path }

    package static let schema = Schema(Self.init, Field(0, \.path))
}

/// Removes the registration of a bundle.
package struct RemoveBundleCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DaemonMethod.removeBundle }
    package let identifier: String

    package init(identifier: String) { self.identifier = identifier }

    package static let schema = Schema(Self.init, Field(0, \.identifier))
}

/// Asks for the registered bundles.
package struct ListBundlesCall: Call, SchemaMessage {
    package static var method: UInt64 { DaemonMethod.listBundles }

    package init() {}
    package static let schema = Schema(Self.init)

    package struct Reply: SchemaMessage {
        package let bundles: [BundleDescription]

        package init(bundles: [BundleDescription]) { self.bundles = bundles }

        package static let schema = Schema(Self.init, Field(0, \.bundles))
    }
}

/// A registered bundle, in the form in which clients receive it.
package struct BundleDescription: Message, Equatable {
    package let identifier: String
    package let path: String
    package let executable: String
    package let team: String?

    package init(_ record: BundleRecord) {
        identifier = record.identifier
        path = record.path
        executable = record.executable
        team = record.team
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        path = try decoder.decode(forKey: 1)
        executable = try decoder.decode(forKey: 2)
        team = try decoder.decodeIfPresent(forKey: 3)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encode(path, forKey: 1)
        encoder.encode(executable, forKey: 2)
        encoder.encodeIfPresent(team, forKey: 3)
    }
}
