import Exchange
import Foundation
import Glibc
import ItemProvider
import LinuxSystem
import UniformTypeIdentifiers

extension Command {
    static let copy = Command(
        name: "copy", summary: "put files, or standard input, on the pasteboard",
        usage: ["[FILE…]"], options: [],
        discussion: """
            Without FILE, standard input is copied: as text if it is text, otherwise as the type that its first bytes
            have. The copy stays on the pasteboard until the next one. Files are not read before they are pasted.
            """
    ) { arguments in
        var providers = try arguments.operands.map { path in
            let file = try ItemArgument.file(path)
            return NSItemProvider(
                contentsOf: file, contentType: try ItemArgument.type(of: file), openInPlace: true)
        }
        if providers.isEmpty { providers = [try StandardInput.item()] }
        try await Board.general.replaceContents(with: providers, fulfilling: true)
    }
}

/// The contents of standard input, as an item.
private enum StandardInput {
    /// Reads until the end, into a memory file that is passed to the daemon without a copy.
    static func item() throws -> NSItemProvider {
        let file: FileDescriptor
        var size = 0
        do throws(Errno) {
            file = try MemoryFile.create(name: "purvey-copy")
            size = try read(into: file)
            try MemoryFile.seal(file)
        } catch {
            throw CommandError("standard input cannot be copied: \(error)")
        }
        let start = try Mapping(file, size: size)
        let type = UTType.type(ofContent: UnsafeRawBufferPointer(rebasing: start.bytes.prefix(64 << 10)))
        let provider = NSItemProvider()
        provider.promise.register(
            Representation(
                typeIdentifier: (type == .plainText ? .utf8PlainText : type).identifier, visibility: .all,
                fileOptions: []
            ) { [size] _, completion in
                completion(.success(.memory(file, size: size)))
                return nil
            })
        return provider
    }

    private static func read(into file: FileDescriptor) throws(Errno) -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        var size = 0
        while true {
            let count = try retrying { Glibc.read(STDIN_FILENO, buffer.baseAddress, buffer.count) }
            if count == 0 { return size }
            try file.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            size += count
        }
    }
}
