import Conduit
import Foundation

/// The identity and last known path of the item to which a directory of versions belongs. They are stored in a file in
/// that directory.
package struct ItemTrace: SchemaMessage {
    private static let name = "identity"

    let identity: ItemIdentity
    var path: String
    /// The date when the item was first found to be missing; `nil` if it is not missing.
    var missingSince: Date?

    init(identity: ItemIdentity, path: String, missingSince: Date? = nil) {
        self.identity = identity
        self.path = path
        self.missingSince = missingSince
    }

    /// Reads the trace in a directory of versions; `nil` if the directory has no trace.
    init?(in folder: String) {
        let trace = FileManager.default.contents(atPath: folder + "/" + Self.name)?.withUnsafeBytes { bytes in
            var decoder = MessageDecoder(bytes)
            return try? decoder.decode(ItemTrace.self, forKey: 0)
        }
        guard let trace else { return nil }
        self = trace
    }

    func write(to folder: String) throws {
        var encoder = MessageEncoder()
        encoder.encode(self, forKey: 0)
        try Data(encoder.bytes).write(to: URL(fileURLWithPath: folder + "/" + Self.name), options: .atomic)
    }

    package static let schema = Schema(
        {
            ItemTrace(identity: $0, path: $1, missingSince: $2.map { Date(timeIntervalSinceReferenceDate: $0) })
        },
        Field(0, \ItemTrace.identity), Field(1, \.path), Field(2, \.missingSince?.timeIntervalSinceReferenceDate))
}
