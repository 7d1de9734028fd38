import AppExtension
import Exchange
import ExtensionHost
import Foundation
import ItemProvider
import LinuxSystem
import UniformTypeIdentifiers

/// A share extension that accepts the selected items.
package struct SharingExtension: Sendable, Equatable {
    package let identifier: String
    package let name: String
}

/// A file or folder to share.
struct SharedFile: Sendable {
    let path: String
    /// The type, which is determined without reading the contents, because reading would fetch them.
    let type: UTType

    init?(_ item: BrowserItem) {
        guard let mounted = item.mountedPath else { return nil }
        path = mounted
        type = item.knownTypes.first ?? (item.isFolder ? .folder : .data)
    }

    var provider: NSItemProvider {
        NSItemProvider(contentsOf: URL(fileURLWithPath: path), contentType: type, openInPlace: false)
    }
}

/// The result of sharing an item.
package struct SharedResult: Sendable, Equatable {
    /// The texts and links that the extension returned.
    var texts: [String] = []
    /// The paths of the files that the extension returned.
    var files: [String] = []
}

/// Shares files with extensions. The extension's process receives open descriptors, and does not open other files.
enum ExtensionSharing {
    /// Returns the extensions that accept files. Blocks on the file system; no contents are fetched.
    static func extensions(for files: [SharedFile]) -> [SharingExtension] {
        guard let data = try? Locations.current().data else { return [] }
        let attachments = files.map(\.provider.registeredTypeIdentifiers)
        let rule = [ActivationRule.Item(attachments: attachments)]
        return ExtensionLibrary(data: data).all.filter { $0.accepts(rule) }
            .map { SharingExtension(identifier: $0.identifier, name: $0.name) }
    }

    private static func items(_ files: [SharedFile]) -> sending [NSExtensionItem] {
        let item = NSExtensionItem()
        item.attachments = files.map(\.provider)
        return [item]
    }

    /// Shares files with an extension, and waits for its result.
    ///
    /// - Parameter folder: the directory for the returned files, which are stored under free names; `nil` to ignore
    ///   returned files.
    static func share(
        _ files: [SharedFile], with target: SharingExtension, daemon: any DaemonCalling, into folder: String?
    ) async throws(BrowserError) -> SharedResult {
        let connection: ExtensionConnection
        let process: Task<ExtensionEnding, any Error>
        do throws(Errno) {
            (connection, process) = try start(target, daemon)
        } catch {
            throw BrowserError("\(target.name) cannot be started: \(error)")
        }
        // Attachments can be loaded until the connection is closed.
        defer { connection.close() }
        // If the daemon, which started the extension, ends first, nothing supervises the extension. Therefore the
        // connection is closed.
        let watch = Task { if case .failure = await process.result { connection.close() } }
        defer { watch.cancel() }
        do {
            var result = SharedResult()
            for item in try await connection.request(items(files)) {
                if let text = item.attributedContentText?.string, !text.isEmpty { result.texts.append(text) }
                for provider in item.attachments ?? [] { try await keep(provider, in: folder, &result) }
            }
            return result
        } catch let error as BrowserError {
            throw error
        } catch ExtensionError.ended {
            switch await process.result {
            case .success(let ending): throw BrowserError("\(target.name): \(ending.sentence)")
            case .failure(let error): throw BrowserError("\(target.name) cannot be run: \(error)")
            }
        } catch ExtensionError.cancelled {
            throw BrowserError("It was cancelled", kind: .cancelled)
        } catch {
            if (error as? CocoaError)?.code == .userCancelled {
                throw BrowserError("It was cancelled", kind: .cancelled)
            }
            throw BrowserError("\(target.name): \(error.localizedDescription)")
        }
    }

    private static func keep(
        _ provider: NSItemProvider, in folder: String?, _ result: inout SharedResult
    ) async throws {
        if provider.hasItemConformingToTypeIdentifier(UTType.url.identifier),
            !provider.hasItemConformingToTypeIdentifier(UTType.fileURL.identifier),
            let link = try? await provider.loadObject(ofClass: URL.self)
        {
            result.texts.append(link.absoluteString)
            return
        }
        guard let folder, let type = provider.registeredTypeIdentifiers.first else { return }
        let name = try await provider.loadFileRepresentation(forTypeIdentifier: type) { file, _ in
            try FileWork.copyNow(file.path, into: folder, { _, _ in }, isCancelled: { false })
        }
        result.files.append(folder + "/" + name)
    }

    /// Makes the daemon start an extension. Only the returned task holds the extension's end of the socket open. The
    /// connection is closed when the last copy of this end is closed. If this process had another copy, it would not
    /// notice that the extension has exited.
    private static func start(
        _ target: SharingExtension, _ daemon: any DaemonCalling
    ) throws(Errno) -> (ExtensionConnection, Task<ExtensionEnding, any Error>) {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        let connection = try ExtensionConnection(ours.descriptor)
        let socket = theirs.descriptor
        let process = Task {
            try await daemon.call(RunExtensionCall(identifier: target.identifier, socket: socket))
        }
        return (connection, process)
    }
}
