import Conduit

/// Asks for the directories of the daemon, which depend on the environment in which it was started.
package struct FoldersCall: Call, SchemaMessage {
    package static var method: UInt64 { DaemonMethod.folders }

    package init() {}
    package static let schema = Schema(Self.init)

    package struct Reply: SchemaMessage {
        /// The directory of permanent data.
        package let data: String
        /// The directory of the mounted domains.
        package let mounts: String

        package init(data: String, mounts: String) {
            self.data = data
            self.mounts = mounts
        }

        package static let schema = Schema(Self.init, Field(0, \.data), Field(1, \.mounts))
    }
}
