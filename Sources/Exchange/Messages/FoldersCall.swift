import Conduit

/// Asks for the directories of the daemon, which depend on the environment in which it was started.
package struct FoldersCall: Call {
    package static var method: UInt64 { DaemonMethod.folders }

    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}

    package struct Reply: Message {
        /// The directory of permanent data.
        package let data: String
        /// The directory of the mounted domains.
        package let mounts: String

        package init(data: String, mounts: String) {
            self.data = data
            self.mounts = mounts
        }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            data = try decoder.decode(forKey: 0)
            mounts = try decoder.decode(forKey: 1)
        }

        package func encode(to encoder: inout MessageEncoder) {
            encoder.encode(data, forKey: 0)
            encoder.encode(mounts, forKey: 1)
        }
    }
}
