import Foundation
import Glibc
import LinuxSystem

/// A push message as services send it: an object that names the container that has changed.
struct PushPayload {
    let container: String
    let domain: String?
    let topic: String?

    /// Bytes; services of push messages take no larger ones.
    private static let limit = 4096

    /// What is on standard input.
    static func read() throws -> Data {
        let input = try FileDescriptor.copy(of: STDIN_FILENO)
        let data = Data(try input.readToEnd(limit: limit + 1))
        guard data.count <= limit else { throw CommandError("the payload has more than \(limit) bytes") }
        return data
    }

    init(_ data: Data) throws {
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw CommandError("the payload is no JSON object")
        }
        func text(_ key: String) throws -> String? {
            guard let value = object[key], !(value is NSNull) else { return nil }
            guard let text = value as? String, !text.isEmpty else {
                throw CommandError("\"\(key)\" in the payload is not a text")
            }
            return text
        }
        guard let container = try text("container-identifier") else {
            throw CommandError("the payload has no \"container-identifier\"")
        }
        self.container = container
        domain = try text("domain")
        topic = try text("topic")
    }
}
