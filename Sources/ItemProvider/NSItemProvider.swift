import Foundation
import LinuxSystem
import UniformTypeIdentifiers

/// A promise of one item in one or several representations.
///
/// A provider registers handlers, best representation first; nothing is produced before a consumer loads it. Each
/// representation can be loaded as data, as a copied file or, if the provider allows it, as the original file. It does
/// not matter in which of these forms it was registered, because the item provider converts it. The consumer may be in
/// this process or in another.
///
/// ```swift
/// let provider = NSItemProvider()
/// provider.registerDataRepresentation(forTypeIdentifier: "public.png", visibility: .all) { completion in
///     completion(png, nil)
///     return nil
/// }
/// ```
///
/// Each load handler runs on a separate thread and must call its completion handler once, with a value or an error. A
/// handler that blocks does not delay others. If 2,048 handlers in the process block, further handlers wait. Completion
/// handlers of loads are not limited; they run on an arbitrary thread, after the loading call has returned.
///
/// The `Progress` that a load returns can be cancelled; it is finished when the completion handler is called. It may be
/// made a child of another progress, even while other loads below the same parent run: loads change their progresses
/// one at a time in the process, and change none while one of them is being added. There are limits, because Foundation
/// on Linux changes a progress without a lock. While loads below a parent run, do not set the parent's own
/// `completedUnitCount`, and do not change its children that are not loads. If the system suspends a thread within
/// `addChild` because memory is low, loads do not wait for this thread.
///
/// A directory arrives with its files, directories and symbolic links. Pipes, sockets and devices in it are left out,
/// and the load succeeds.
///
/// All methods may be called from any thread. The class itself is not declared `Sendable`, as on Apple's platforms.
///
/// Source: Foundation, `NSItemProvider.h`, the binary interface.
open class NSItemProvider: NSObject, NSCopying {
    /// The registered representations and the name, in a form that may cross threads.
    package let promise: ItemPromise

    /// Creates an item without any representation.
    public override init() {
        promise = ItemPromise()
        super.init()
    }

    package init(promise: ItemPromise) {
        self.promise = promise
        super.init()
    }

    /// Creates an item from an object: a URL, a string, data, a dictionary, an image, or any other object that can be
    /// coded.
    ///
    /// - Parameters:
    ///   - item: the object. If it is `nil`, every load fails with `itemUnavailableError`.
    ///   - typeIdentifier: the type to offer the object as; `nil` for the type of its class. The URL of a file
    ///     represents the file's contents, unless the type conforms to `public.url`.
    public init(item: (any NSSecureCoding)?, typeIdentifier: String?) {
        promise = ItemPromise()
        super.init()
        let value = item.map { ItemValue($0) }
        if let url = item as? NSURL, url.isFileURL { suggestedName = url.path?.lastPathName }
        if let typeIdentifier = typeIdentifier ?? value?.type?.identifier {
            register(item: value, typeIdentifier: typeIdentifier)
        }
    }

    // MARK: - Copying

    /// Returns a provider with the same representations and name. Later registrations with either provider do not
    /// affect the other one. A subclass overrides this if its copies must have its own class.
    open func copy(with zone: NSZone? = nil) -> Any {
        NSItemProvider(promise: ItemPromise(copying: promise))
    }

    /// Returns a copy, see ``copy(with:)``.
    open override func copy() -> Any { copy(with: nil) }

    /// The registered types and the suggested name, for logs.
    open override var description: String {
        let name = suggestedName.map { ", suggestedName = \"\($0)\"" } ?? ""
        let address = String(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), radix: 16)
        return "<NSItemProvider: 0x\(address)> {types = (\(registeredTypeIdentifiers.joined(separator: ", ")))\(name)}"
    }

    // MARK: - Name

    /// The file name to use when the item is written to a file, with or without an extension.
    ///
    /// If it is `nil`, a copied file keeps its own name, and data is named after its type. When a file is created,
    /// separators and control characters are replaced, the type's extension is added, and a name longer than 255 bytes
    /// is shortened.
    open var suggestedName: String? {
        get { promise.suggestedName }
        set { promise.suggestedName = newValue }
    }

    // MARK: - Registering

    /// Registers a handler that produces data of the given type.
    ///
    /// - Parameters:
    ///   - typeIdentifier: the type, such as `public.png`. A type that is registered already keeps its earlier handler.
    ///   - visibility: the processes that may load the data.
    ///   - loadHandler: called for each load; calls its completion handler once. The progress that it returns is
    ///     reported to the consumer, and is cancelled when the consumer cancels.
    open func registerDataRepresentation(
        forTypeIdentifier typeIdentifier: String, visibility: NSItemProviderRepresentationVisibility,
        loadHandler: @escaping @Sendable (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress?
    ) {
        promise.register(.data(typeIdentifier, visibility: visibility, loadHandler: loadHandler))
    }

    /// Registers a handler that produces a file or a directory of the given type.
    ///
    /// - Parameters:
    ///   - fileOptions: with `openInPlace`, a consumer may get the original file. Otherwise the consumer gets a copy,
    ///     and the provider may delete the file or directory as soon as its call of the completion handler returns.
    ///     Therefore this call blocks until the copy is made: do not make it on the main thread for a large file or for
    ///     a directory. Only a file for another process is copied later. If the file is written to before that copy is
    ///     complete, that load fails.
    ///   - visibility: the processes that may load the file.
    ///   - loadHandler: called for each load; calls its completion handler once with the file's URL and whether the
    ///     file is to be read through file coordination, or with an error.
    open func registerFileRepresentation(
        forTypeIdentifier typeIdentifier: String, fileOptions: NSItemProviderFileOptions = [],
        visibility: NSItemProviderRepresentationVisibility,
        loadHandler: @escaping @Sendable (@escaping @Sendable (URL?, Bool, (any Error)?) -> Void) -> Progress?
    ) {
        promise.register(
            .file(typeIdentifier, visibility: visibility, fileOptions: fileOptions, loadHandler: loadHandler))
    }

    /// Registers all types that an object can be written as, see ``NSItemProviderWriting``. The provider retains the
    /// object.
    open func registerObject(
        _ object: any NSItemProviderWriting, visibility: NSItemProviderRepresentationVisibility
    ) {
        register(writing: object, visibility: visibility)
    }

    /// Registers all types that objects of the given class can be written as. The object is created when a
    /// representation is loaded.
    ///
    /// - Parameters:
    ///   - visibility: an upper bound: each type has the stricter of this visibility and the visibility that the class
    ///     specifies.
    ///   - loadHandler: called for each load; calls its completion handler once with the object or an error. The
    ///     consumer sees the progress of the handler, followed by that of the object's writing, and can cancel both.
    open func registerObject(
        ofClass aClass: any NSItemProviderWriting.Type, visibility: NSItemProviderRepresentationVisibility,
        loadHandler:
            @escaping @Sendable (@escaping @Sendable ((any NSItemProviderWriting)?, (any Error)?) -> Void) -> Progress?
    ) {
        register(writingClass: aClass, visibility: visibility, loadHandler: loadHandler)
    }

    /// Registers a handler that produces an object, under the given type. Consumers can also load the object as data or
    /// as a file, for example with ``loadDataRepresentation(for:completionHandler:)``.
    ///
    /// Another process gets these objects unchanged: strings, attributed strings, URLs, data, images, file wrappers,
    /// property lists, and `NSUUID`, `NSNull` and collections that are not property lists. The URL of a file is
    /// transferred as the file, unless its type is a URL type.
    ///
    /// An object of any other class is transferred as its keyed archive. A consumer that requests this class gets the
    /// object, if the object contains only objects of this class and Foundation's plain values (strings, numbers, data,
    /// dates, URLs, UUIDs, collections of them). A consumer that requests data gets the archive. Every other load fails
    /// with `unavailableCoercionError`. An object that contains objects of another class of the client can be loaded
    /// only as data, because Foundation on Linux ends the process if an archive has a class that its reader does not
    /// expect.
    ///
    /// - Parameter loadHandler: called for each load, see ``LoadHandler``; calls the given completion handler once. For
    ///   a consumer in another process, the handler gets the expected class only if objects of this class are
    ///   transferred unchanged. It gets the preferred size of an image, and the options whose keys are strings and
    ///   whose values a property list can contain. If these options are larger than 4 KiB together, none is sent.
    open func registerItem(forTypeIdentifier typeIdentifier: String, loadHandler: @escaping LoadHandler) {
        register(itemForTypeIdentifier: typeIdentifier, loadHandler: loadHandler)
    }

    // MARK: - Registered types

    /// The registered types in order of registration: best first.
    open var registeredTypeIdentifiers: [String] {
        promise.representations.map(\.typeIdentifier)
    }

    /// Returns the registered types whose file options include the given ones, in order of registration.
    open func registeredTypeIdentifiers(fileOptions: NSItemProviderFileOptions = []) -> [String] {
        if fileOptions.isEmpty { return registeredTypeIdentifiers }
        return promise.representations.filter { $0.fileOptions.isSuperset(of: fileOptions) }.map(\.typeIdentifier)
    }

    /// Whether a registered type is the given type, or conforms to it.
    open func hasItemConformingToTypeIdentifier(_ typeIdentifier: String) -> Bool {
        hasRepresentationConforming(toTypeIdentifier: typeIdentifier)
    }

    /// Whether a registered type with the given file options is the given type, or conforms to it.
    open func hasRepresentationConforming(
        toTypeIdentifier typeIdentifier: String, fileOptions: NSItemProviderFileOptions = []
    ) -> Bool {
        registeredTypeIdentifiers(fileOptions: fileOptions)
            .contains { promise.conforms($0, to: typeIdentifier) }
    }

    /// The registered types in order of registration. Undeclared identifiers have no `UTType` and are left out,
    /// unless they were registered as a `UTType` in this process.
    open var registeredContentTypes: [UTType] {
        registeredTypeIdentifiers.compactMap { promise.contentType($0) }
    }

    /// The registered types that may be opened in place, in order of registration.
    open var registeredContentTypesForOpenInPlace: [UTType] {
        registeredTypeIdentifiers(fileOptions: .openInPlace).compactMap { promise.contentType($0) }
    }

    /// Returns the registered types that are the given type or conform to it, in order of registration.
    open func registeredContentTypes(conformingTo contentType: UTType) -> [UTType] {
        registeredContentTypes.filter { $0.conforms(to: contentType) }
    }

    /// Whether an object of the given class can be created from a registered representation.
    open func canLoadObject(ofClass aClass: any NSItemProviderReading.Type) -> Bool {
        bestRepresentation(for: aClass) != nil
    }

    // MARK: - Loading

    /// Loads the data of the first representation that conforms to the given type.
    ///
    /// A file is read. A directory arrives as a zip archive whose only root entry is the directory.
    ///
    /// - Parameter completionHandler: called once, on an arbitrary queue, with the data or an error:
    ///   `itemUnavailableError` with its cause, or `CocoaError.userCancelled`.
    @discardableResult
    open func loadDataRepresentation(
        forTypeIdentifier typeIdentifier: String,
        completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress {
        loadData(typeIdentifier) { result in
            switch result {
            case .success(let data): completionHandler(data, nil)
            case .failure(let error): completionHandler(nil, error)
            }
        }
    }

    /// Copies the file or directory of the first representation that conforms to the given type.
    ///
    /// - Parameter completionHandler: called once, on an arbitrary queue. The copy is deleted when the handler returns,
    ///   so copy or move the file away before that.
    @discardableResult
    open func loadFileRepresentation(
        forTypeIdentifier typeIdentifier: String,
        completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) -> Progress {
        loadFile(typeIdentifier, as: .copy) { url, _, error in completionHandler(url, error) }
    }

    /// Loads the file of the first representation that conforms to the given type. Delivers the provider's own file if
    /// this is allowed and the file can be reached, otherwise a copy.
    ///
    /// - Parameter completionHandler: called once, on an arbitrary queue, with the file and whether it is the original.
    ///   A copy is deleted when the handler returns.
    @discardableResult
    open func loadInPlaceFileRepresentation(
        forTypeIdentifier typeIdentifier: String,
        completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
    ) -> Progress {
        loadFile(typeIdentifier, as: .inPlace, completionHandler: completionHandler)
    }

    /// Loads an object of the given class from the best representation that the class can read. An exact match of types
    /// is preferred to a conforming type, in the order of the class's list.
    @discardableResult
    open func loadObject(
        ofClass aClass: any NSItemProviderReading.Type,
        completionHandler: @escaping @Sendable ((any NSItemProviderReading)?, (any Error)?) -> Void
    ) -> Progress {
        loadReading(aClass) { result in
            switch result {
            case .success(let object): completionHandler(object, nil)
            case .failure(let error): completionHandler(nil, error)
            }
        }
    }

    /// Loads the object of the first representation that conforms to the given type, without conversion to another
    /// class.
    ///
    /// If the representation was registered as data, the object is `NSData`. If it was registered as a file, the object
    /// is the file's URL. This is the URL of the original if it may be opened in place, otherwise that of a copy, which
    /// is deleted when this provider is released.
    ///
    /// ``registerItem(forTypeIdentifier:loadHandler:)`` describes which objects of another process can be loaded.
    ///
    /// - Parameters:
    ///   - options: options for the load handler, such as `NSItemProviderPreferredImageSizeKey`.
    ///   - completionHandler: called once, on an arbitrary queue, with the object or an error: `itemUnavailableError`,
    ///     or `unavailableCoercionError` if the object comes from another process and its class is one of that
    ///     process's own.
    open func loadItem(
        forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil,
        completionHandler: CompletionHandler? = nil
    ) {
        loadItem(typeIdentifier, nil, options) { result in
            switch result {
            case .success(let item): completionHandler?(item.object, nil)
            case .failure(let error): completionHandler?(nil, error)
            }
        }
    }

    /// Loads the object of the first representation that conforms to the given type, see
    /// ``loadItem(forTypeIdentifier:options:completionHandler:)``. Cancelling the task cancels the load
    /// (`CocoaError.userCancelled`). Runs in its caller's isolation.
    nonisolated(nonsending) open func loadItem(
        forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil
    ) async throws -> any NSSecureCoding {
        try await CancellableItem.run { completion in
            loadItem(forTypeIdentifier: typeIdentifier, options: options, completionHandler: completion)
        }
    }

    // MARK: - Preview

    /// The handler that produces a preview: data, the URL of a file, or an image.
    ///
    /// A consumer in another process gets the preview, too, if the handler was set before the item was offered and the
    /// consumer may load every representation of the item. A file is transferred as data. For other consumers, the
    /// preview is created from an image representation.
    open var previewImageHandler: LoadHandler? {
        get { promise.previewImageHandler }
        set { promise.previewImageHandler = newValue }
    }

    /// Loads a preview of the item: the result of ``previewImageHandler``, or, without a handler, an image that is
    /// created from the first image representation.
    ///
    /// - Parameters:
    ///   - options: options for the preview handler. Without a handler, the value for
    ///     `NSItemProviderPreferredImageSizeKey` is the size in pixels into which the created preview fits.
    ///   - completionHandler: called once, on an arbitrary queue, with the preview or an error.
    open func loadPreviewImage(options: [AnyHashable: Any]! = [:], completionHandler: CompletionHandler!) {
        let answer: @Sendable (Result<ItemValue, any Error>) -> Void = { result in
            switch result {
            case .success(let item): completionHandler?(item.object, nil)
            case .failure(let error): completionHandler?(nil, error)
            }
        }
        guard let handler = previewImageHandler else {
            let cancel = PreviewImage.make(of: promise, fitting: PreviewImage.size(in: options), completion: answer)
            if let cancel { CancellableItem.cancellation?.hold(cancel) }
            return
        }
        let load = ItemLoad(preview: handler, promise, options, answer)
        CancellableItem.cancellation?.hold { load.cancel() }
        load.start()
    }

    /// Loads a preview of the item, see ``loadPreviewImage(options:completionHandler:)``. Cancelling the task cancels
    /// the load (`CocoaError.userCancelled`). Runs in its caller's isolation.
    nonisolated(nonsending) open func loadPreviewImage(options: [AnyHashable: Any]! = [:]) async throws
        -> any NSSecureCoding
    {
        try await CancellableItem.run { loadPreviewImage(options: options, completionHandler: $0) }
    }
}
