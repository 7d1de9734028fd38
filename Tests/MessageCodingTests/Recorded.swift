import Conduit
import Exchange
import Foundation
import Glibc
import ItemProvider
import LinuxSystem
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
}
