import Foundation
import ItemProvider

/// A file that is written when somebody wants it: on a pasteboard or in a drag, for this process or another.
///
/// An ``NSFilePromiseReceiver`` has it written to a folder. Everybody else sees an item of the file's type, and loading that has the
/// file written too.
///
/// Source: AppKit, `NSFilePromiseProvider.h`.
open class NSFilePromiseProvider: NSObject, NSPasteboardWriting {
    /// The type of the file, as a uniform type identifier. A promise without one is not written to a pasteboard.
    open var fileType = ""
    /// Who names the file and writes it.
    open weak var delegate: (any NSFilePromiseProviderDelegate)?
    /// Whatever the delegate needs to know.
    open var userInfo: Any?

    /// A promise without a type.
    public override init() { super.init() }

    /// A promise of a file of a type.
    public convenience init(fileType: String, delegate: any NSFilePromiseProviderDelegate) {
        self.init()
        self.fileType = fileType
        self.delegate = delegate
    }

    /// The types of the promise.
    open func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] {
        [FilePromise.contentType]
    }

    /// At once: that there is a promise is no secret.
    open func writingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.WritingOptions { [] }

    /// What is told of the promise.
    open func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? {
        type == FilePromise.contentType && !fileType.isEmpty ? fileType : nil
    }
}

/// Names promised files, and writes them.
///
/// Source: AppKit, `NSFilePromiseProvider.h`.
public protocol NSFilePromiseProviderDelegate: NSObjectProtocol {
    /// The file's name, with its extension. Called on the main thread. Where it is no name for a file, one is made of it.
    func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider, fileNameForType fileType: String
    ) -> String

    /// Writes the file. Called on the queue of ``operationQueue(for:)``.
    ///
    /// - Parameters:
    ///   - url: where to write it. There is nothing yet.
    ///   - completionHandler: to be called once, on any thread, when the file is there, or with what prevented it. One that is given
    ///     up without a call is an error, and so is a file that is not there after it.
    func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider, writePromiseTo url: URL,
        completionHandler: @escaping ((any Error)?) -> Void)

    /// Writes the file: the same for `async` code. One of both is to be there; without either, every promise fails.
    func filePromiseProvider(_ filePromiseProvider: NSFilePromiseProvider, writePromiseTo url: URL) async throws

    /// The queue on which files are written; the main queue without an answer. Called on the main thread.
    func operationQueue(for filePromiseProvider: NSFilePromiseProvider) -> OperationQueue
}

extension NSFilePromiseProviderDelegate {
    /// Leaves it to the `async` form.
    public func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider, writePromiseTo url: URL,
        completionHandler: @escaping ((any Error)?) -> Void
    ) {
        let asked = AskedDelegate(delegate: self, provider: filePromiseProvider, completionHandler: completionHandler)
        Task { await asked.write(to: url) }
    }

    /// Fails.
    public func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider, writePromiseTo url: URL
    ) async throws {
        throw FilePromiseError.notWritten(url)
    }

    /// The main queue.
    public func operationQueue(for filePromiseProvider: NSFilePromiseProvider) -> OperationQueue { .main }
}

/// Sendable because it is handed over to the one task that uses it.
private struct AskedDelegate: @unchecked Sendable {
    let delegate: any NSFilePromiseProviderDelegate
    let provider: NSFilePromiseProvider
    let completionHandler: ((any Error)?) -> Void

    func write(to url: URL) async {
        do {
            try await delegate.filePromiseProvider(provider, writePromiseTo: url)
            completionHandler(nil)
        } catch {
            completionHandler(error)
        }
    }
}
