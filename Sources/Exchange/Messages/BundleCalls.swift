import Conduit

/// Registers the bundle in the given directory.
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

/// A registered bundle, as it is described to clients.
package struct BundleDescription: SchemaMessage, Equatable {
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

    private init(identifier: String, path: String, executable: String, team: String?) {
        self.identifier = identifier
        self.path = path
        self.executable = executable
        self.team = team
    }

    package static let schema = Schema(
        Self.init(identifier:path:executable:team:), Field(0, \.identifier), Field(1, \.path),
        Field(2, \.executable), Field(3, \.team))
}
