import Conduit
import Foundation

/// The identity and last known path of the item to which a directory of versions belongs. They are stored in a file in
/// that directory.
struct ItemTrace: Message {
    private static let name = "identity"

    let identity: ItemIdentity
    var path: String
    /// The date since which the item has been missing.
    var missingSince: Date?

    init(identity: ItemIdentity, path: String) {
        self.identity = identity
        self.path = path
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

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        identity = try decoder.decode(forKey: 0)
        path = try decoder.decode(forKey: 1)
        let seconds: Double? = try decoder.decodeIfPresent(forKey: 2)
        missingSince = seconds.map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identity, forKey: 0)
        encoder.encode(path, forKey: 1)
        encoder.encodeIfPresent(missingSince?.timeIntervalSinceReferenceDate, forKey: 2)
    }
}
