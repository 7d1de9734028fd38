import Conduit
import Exchange
import FileCoordination
import Foundation
import Glibc
import ItemProvider
import LinuxSystem
import Secrets
import Testing

/// A message with its bytes as the hand-written coding of an earlier version sent them.
struct Recorded: Sendable, CustomTestStringConvertible {
    let message: any Message
    /// The bytes in hexadecimal digits.
    let bytes: String

    init(_ message: any Message, _ bytes: String) {
        self.message = message
        self.bytes = bytes
    }

    /// Records a message whose values depend on the machine. Its values are decoded from the bytes.
    init<M: Message>(_: M.Type, _ bytes: String) {
        let numbers = stride(from: 0, to: bytes.utf8.count, by: 2).compactMap {
            UInt8(bytes.dropFirst($0).prefix(2), radix: 16)
        }
        let message = numbers.withUnsafeBytes { bytes in
            var decoder = MessageDecoder(bytes)
            return try? M.read(from: &decoder)
        }
        self.init(message ?? Empty(), bytes)
    }

    var testDescription: String { "\(type(of: message)) \(bytes)" }

    static let identifier = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255))
    static let record = BundleRecord(
        identifier: "i", path: "/p", executable: "/e", team: "t", typeDeclarations: Data())
    static let manifest = OfferManifest(
        identifier: identifier, name: "n",
        representations: [
            RepresentationManifest(index: 1, typeIdentifier: "u", visibility: 2, fileOptions: 3, hasItem: true),
            RepresentationManifest(index: 300, typeIdentifier: "", visibility: 0, fileOptions: 0),
        ],
        hasPreview: true)
    static let supply = SupplyMessage(.bytes(Data([1, 2])))
    static let descriptor = FileDescriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
    static let failureMessage = FailureMessage(
        NSError(
            domain: "d", code: -1,
            userInfo: [
                NSLocalizedDescriptionKey: "m", NSLocalizedFailureReasonErrorKey: "r",
                NSUnderlyingErrorKey: NSError(domain: "u", code: 2, userInfo: [NSLocalizedDescriptionKey: "n"]),
            ]))
    /// Data that is too large for a message, in a memory file.
    static let memory =
        (try? SupplyPacking.pack(.bytes(Data(count: 5000)), isCancelled: { false }, report: { _ in }))
        ?? .bytes(Data())
    static let secret = [UInt8]([1, 255]).withUnsafeBytes { SecretBytes(copying: $0) }
    static let access = Access(path: "/a", key: "/a", traits: [.writes, .saves])
    static let change = VersionChange(
        .lost,
        VersionRecord(
            identifier: identifier, name: "n", computer: "c",
            modificationDate: Date(timeIntervalSinceReferenceDate: 1.5)))
}
