import Dispatch
import Foundation
import ItemProvider
import LinuxSystem

/// A promise of a file, as its receiver reads it from a pasteboard, see
/// ``NSPasteboard/readObjects(forClasses:options:)``.
///
/// Source: AppKit, `NSFilePromiseReceiver.h`.
open class NSFilePromiseReceiver: NSObject, NSPasteboardReading {
    /// The types that identify a promise.
    open class var readableDraggedTypes: [String] { [FilePromise.contentType.rawValue] }

    /// The types of the promised files.
    open var fileTypes: [String] { [fileType] }

    /// The names of the received files. A name is added before the reader is called.
    open var fileNames: [String] { received.names.withLock { $0 } }

    private let fileType: String
    private let received = ReceivedNames()
    private var item: NSPasteboardItem?

    /// Returns the types that identify a promise.
    open class func readableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] {
        readableDraggedTypes.map { NSPasteboard.PasteboardType($0) }
    }

    /// Returns `asString`.
    open class func readingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.ReadingOptions { .asString }

    /// Creates a promise from the type identifier of its file; `nil` for any other value. The file can be received only
    /// if a pasteboard has created the object.
    public required init?(pasteboardPropertyList propertyList: Any, ofType type: NSPasteboard.PasteboardType) {
        guard let fileType = propertyList as? String, !fileType.isEmpty else { return nil }
        self.fileType = fileType
        super.init()
    }

    func attach(to item: NSPasteboardItem) { self.item = item }

    /// Requests that the promised files are written into a directory, under names that no files there have.
    ///
    /// A file that this process promises is written by the provider's delegate directly to the directory. A file that
    /// another process promises is written by that process to a temporary directory, and then copied. On the main
    /// thread, the call returns at once. On another thread, it returns when the main thread has asked the delegate.
    ///
    /// - Parameters:
    ///   - operationQueue: the queue on which the reader is called.
    ///   - reader: called once for each file, either with the file or with the destination and an error. A file that
    ///     does not arrive within an hour causes an error.
    open func receivePromisedFiles(
        atDestination destinationDir: URL, options: [AnyHashable: Any] = [:], operationQueue: OperationQueue,
        reader: @escaping (URL, (any Error)?) -> Void
    ) {
        let delivery = PromisedFileDelivery(destinationDir, received, operationQueue, SharedReader(body: reader))
        guard delivery.hasFolder else {
            return delivery.end(.failure(FilePromiseError.notAFolder(destinationDir)))
        }
        if let promise = item?.contents?.filePromise {
            promise.write(into: destinationDir) { delivery.end($0) }
        } else if let offered = item?.offered, let representation = offered.promise.representation(of: fileType) {
            delivery.load(representation, of: offered.promise, within: offered.store.patienceForFiles)
        } else {
            delivery.end(.failure(FilePromiseError.noPromise()))
        }
    }
}

private final class ReceivedNames: Sendable {
    // Leaf lock.
    let names = Lock<[String]>([])
}

/// The client's reader. Sendable because it is called only on the operation queue that the client passed with it.
private struct SharedReader: @unchecked Sendable {
    let body: (URL, (any Error)?) -> Void
}

/// One promised file on its way to a directory.
private final class PromisedFileDelivery: Sendable {
    private let folder: URL
    private let received: ReceivedNames
    private let queue: OperationQueue
    private let reader: SharedReader

    init(_ folder: URL, _ received: ReceivedNames, _ queue: OperationQueue, _ reader: SharedReader) {
        self.folder = folder
        self.received = received
        self.queue = queue
        self.reader = reader
    }

    var hasFolder: Bool {
        folder.isFileURL && (try? FileStatus.of(folder.path).kind) == .directory
    }

    /// Loads the file from the process that promises it, and copies it to the destination.
    func load(
        _ representation: Representation, of promise: ItemPromise, within limit: DispatchTimeInterval
    ) {
        let progress = LoadOperation.start(representation, of: promise, as: .copy) { result in
            self.end(result.flatMap { $0.asFile }.flatMap { file in Result { try self.place(file) } })
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [weak progress] in progress?.cancel() }
    }

    private func place(_ file: ArrivedFile) throws -> URL {
        defer { file.folder?.remove() }
        let directory = try FileDescriptor.open(folder.path, [.readOnly, .directory])
        let source = try FileDescriptor.open(file.url.path, [.readOnly, .noFollow])
        let isDirectory = try source.status().kind == .directory
        let name = file.url.path.lastPathName
        for name in FilePromise.names(for: name) {
            do throws(CopyError) {
                if isDirectory {
                    try TreeCopier.copy(source, into: directory, named: name, origin: .peer)
                } else {
                    try FileCopier.copy(source, into: directory, named: name, origin: .peer)
                }
                return folder.appendingPathComponent(name, isDirectory: isDirectory)
            } catch .alreadyExists {
                continue
            }
        }
        throw FilePromiseError.noPlace(name, folder)
    }

    func end(_ result: Result<URL, any Error>) {
        queue.addOperation { [self] in
            switch result {
            case .success(let url):
                received.names.withLock { $0.append(url.path.lastPathName) }
                reader.body(url, nil)
            case .failure(let error):
                reader.body(folder, error)
            }
        }
    }
}
