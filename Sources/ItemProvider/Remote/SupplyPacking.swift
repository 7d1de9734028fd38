import Foundation
import LinuxSystem

/// Conversion of a load handler's result to a form that can be sent.
package enum SupplyPacking {
    /// The number of bytes that are written between two checks for cancellation.
    private static let piece = 4 << 20

    /// Moves data that is too large for a message into a sealed memory file. Other supplies stay as they are.
    ///
    /// - Parameters:
    ///   - isCancelled: called between pieces.
    ///   - report: gets the written fraction after each piece but the last.
    package static func pack(
        _ supply: Supply, isCancelled: () -> Bool, report: (Double) -> Void
    ) throws -> Supply {
        guard case .bytes(let data) = supply, data.count > SupplyMessage.inlineBytes else { return supply }
        let file: FileDescriptor
        do {
            file = try MemoryFile.create(name: "purvey-item")
            try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
                var rest = bytes
                while !rest.isEmpty {
                    try file.writeAll(UnsafeRawBufferPointer(rebasing: rest.prefix(piece)))
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece))
                    if isCancelled() { throw ItemProviderError.cancelled() }
                    if !rest.isEmpty { report(1 - Double(rest.count) / Double(bytes.count)) }
                }
            }
            try MemoryFile.seal(file)
        } catch let error as Errno {
            throw ItemProviderError.make(
                .unknownError, "\(data.count) bytes cannot be handed to another process: \(error)")
        }
        return .memory(file, size: data.count)
    }
}
