import Foundation
import FoundationAdditions
import ItemProvider

/// A promise of a file, on a pasteboard or in a drag. The file is written when a client in this process or another one
/// requests it.
///
/// With an ``NSFilePromiseReceiver``, a client gets the file in a directory of its choice. Other clients see an item of
/// the file's type. When they load this item, the file is written, too.
///
/// Source: AppKit, `NSFilePromiseProvider.h`.
open class NSFilePromiseProvider: NSObject, NSPasteboardWriting {
    /// The type of the file, as a uniform type identifier. A promise without a type is not written to a pasteboard.
    open var fileType = ""
    /// The delegate, which names the file and writes it.
    open weak var delegate: (any NSFilePromiseProviderDelegate)?
    /// A value for the delegate's own use. It may have any type.
    open var userInfo: Any?

    /// Creates a promise without a type.
    public override init() { super.init() }

    /// Creates a promise of a file of the given type.
    public convenience init(fileType: String, delegate: any NSFilePromiseProviderDelegate) {
        self.init()
        self.fileType = fileType
        self.delegate = delegate
    }

    /// Returns the pasteboard type of file promises, regardless of the file's type.
    open func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] {
        [FilePromise.contentType]
    }

    /// Returns no options, because the promise itself is written at once, unlike its file.
    open func writingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.WritingOptions { [] }

    /// Returns the type identifier of the promised file.
    open func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? {
        type == FilePromise.contentType && !fileType.isEmpty ? fileType : nil
    }
}

/// The delegate that names promised files, and writes them.
///
/// Source: AppKit, `NSFilePromiseProvider.h`.
public protocol NSFilePromiseProviderDelegate: NSObjectProtocol {
    /// Returns the file's name, with its extension. Called on the main thread. An invalid name is adapted.
    func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider, fileNameForType fileType: String
    ) -> String

    /// Writes the file. Called on the queue of ``operationQueue(for:)``.
    ///
    /// - Parameters:
    ///   - url: the URL to write to. No file exists there yet.
    ///   - completionHandler: must be called once, on any thread, when the file exists, or with an error. The promise
    ///     fails if the handler is released without a call, or if the file does not exist after the call.
    func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider, writePromiseTo url: URL,
        completionHandler: @escaping ((any Error)?) -> Void)

    /// Writes the file, as an `async` function. One of the two forms must be implemented. Without them, every promise
    /// fails.
    func filePromiseProvider(_ filePromiseProvider: NSFilePromiseProvider, writePromiseTo url: URL) async throws

    /// Returns the queue on which files are written. By default the main queue. Called on the main thread.
    func operationQueue(for filePromiseProvider: NSFilePromiseProvider) -> OperationQueue
}

extension NSFilePromiseProviderDelegate {
    /// Calls the `async` form.
    public func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider, writePromiseTo url: URL,
        completionHandler: @escaping ((any Error)?) -> Void
    ) {
        let delegate: any NSFilePromiseProviderDelegate = self
        let call = Disconnected((delegate: delegate, provider: filePromiseProvider, complete: completionHandler))
        Task {
            do {
                try await call.value.delegate.filePromiseProvider(call.value.provider, writePromiseTo: url)
                call.value.complete(nil)
            } catch {
                call.value.complete(error)
            }
        }
    }

    /// Throws an error, because a delegate that implements neither form cannot write the file.
    public func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider, writePromiseTo url: URL
    ) async throws {
        throw FilePromiseError.notWritten(url)
    }

    /// Returns the main queue.
    public func operationQueue(for filePromiseProvider: NSFilePromiseProvider) -> OperationQueue { .main }
}
