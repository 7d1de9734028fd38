import Foundation
import Glibc
import LinuxSystem

/// A push message of a service: a JSON object that names the changed container.
struct PushPayload {
    let container: String
    let domain: String?
    let topic: String?

    /// The maximum size in bytes. Push services have the same limit.
    private static let limit = 4096

    /// Reads the payload from standard input.
    static func read() throws -> Data {
        let input = try FileDescriptor.copy(of: STDIN_FILENO)
        let data = Data(try input.readToEnd(limit: limit + 1))
        guard data.count <= limit else { throw CommandError("the payload has more than \(limit) bytes") }
        return data
    }

    init(_ data: Data) throws {
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw CommandError("the payload is not a JSON object")
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
