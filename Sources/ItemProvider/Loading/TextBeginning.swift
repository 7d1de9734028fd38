import Foundation
import LinuxSystem
import Synchronization
import UniformTypeIdentifiers

/// The first part of an item's text, for clients that do not load the whole text.
package struct TextBeginning: Sendable {
    package let text: String
    /// Whether this is the whole text.
    package let isWhole: Bool

    package init(_ text: String, isWhole: Bool) {
        self.text = text
        self.isWhole = isWhole
    }
}

extension ItemPromise {
    /// Loads the first bytes of the item's text, which is the plain text representation from which a string would be
    /// read. If there is none, loads the item's URL as text. No other representation is loaded, and no files or objects
    /// are created.
    ///
    /// - Parameter limit: the maximum number of bytes to read. A character that does not fit is left out.
    /// - Returns: `nil` if the item has no text.
    /// - Throws: `itemUnavailableError` if the provider fails, `unavailableCoercionError` if the bytes are not text of
    ///   their type, or `CocoaError.userCancelled` if the task is cancelled.
    package func textBeginning(upTo limit: Int) async throws -> TextBeginning? {
        guard let representation = textRepresentation else { return nil }
        let type = representation.typeIdentifier
        let beginning: ByteBeginning
        do {
            beginning = try await ByteBeginning.load(representation, upTo: limit)
        } catch {
            throw ItemProviderError.cannotLoad(type, because: error)
        }
        guard let text = beginning.text(typeIdentifier: type) else {
            throw ItemProviderError.cannotCoerce(to: "text", from: type)
        }
        return TextBeginning(text, isWhole: beginning.isWhole)
    }

    private var textRepresentation: Representation? {
        let texts = PlainText.readableTypes.lazy.compactMap { self.representation(conformingTo: $0) }
        return texts.first ?? urlRepresentation
    }

    /// The URL representation, which can be read as text; `nil` if there is none. It is also `nil` for an item with the
    /// URL of a file, because that URL would reveal where the user keeps files.
    private var urlRepresentation: Representation? {
        guard representation(conformingTo: UTType.fileURL.identifier) == nil else { return nil }
        return representation(conformingTo: UTType.url.identifier)
    }
}

/// The first bytes of a load handler's result.
private struct ByteBeginning: Sendable {
    let data: Data
    let isWhole: Bool

    static func load(_ representation: Representation, upTo limit: Int) async throws -> ByteBeginning {
        let pending = PendingCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = SupplyTask(
                    representation, for: .data, report: { _ in },
                    completion: { result in
                        // The reply of another process comes in on a thread that must not wait for a disk.
                        HandlerThreads.shared.run {
                            continuation.resume(with: Result { try ByteBeginning(result.get(), limit) })
                        }
                    })
                pending.hold { task.cancel() }
            }
        } onCancel: {
            pending.cancel()
        }
    }

    private init(_ supply: Supply, _ limit: Int) throws {
        switch supply {
        case .bytes(let bytes):
            data = Data(bytes.prefix(limit))
            isWhole = bytes.count <= limit
        case .memory(let file, _):
            (data, isWhole) = try Self.read(file, limit)
        case .file(let file):
            defer { file.lease?.end() }
            // A directory has no text, and a device may have no end.
            guard try file.descriptor.status().kind == .regular else {
                throw ItemProviderError.unusableFile("The promised file is not a regular file")
            }
            (data, isWhole) = try Self.read(file.descriptor, limit)
        }
    }

    private static func read(_ file: FileDescriptor, _ limit: Int) throws -> (Data, isWhole: Bool) {
        // One more byte shows whether the text continues.
        var data = Data(count: limit + 1)
        var filled = 0
        while filled < data.count {
            let count = try data.withUnsafeMutableBytes { buffer throws(Errno) in
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), at: filled)
            }
            if count == 0 { break }
            filled += count
        }
        return (data.prefix(min(filled, limit)), filled <= limit)
    }

    func text(typeIdentifier: String) -> String? {
        if isWhole { return PlainText.decode(data, typeIdentifier: typeIdentifier) }
        // The limit may have split a character, which has up to four bytes in UTF-8, and up to two units of two bytes
        // in UTF-16.
        let lengths = (0..<4).lazy.map { data.count - $0 }.filter { $0 >= 0 }
        return lengths.compactMap { PlainText.decode(Data(data.prefix($0)), typeIdentifier: typeIdentifier) }.first
    }
}
