import Foundation
import LinuxSystem
import UniformTypeIdentifiers

/// A promise of one item in one or several representations.
///
/// A provider registers handlers, best representation first; nothing is produced before a consumer loads it. Each
/// representation can be loaded as data, as a copied file or, where the provider allows it, as the original file, however it
/// was registered: the item provider converts. The consumer may be in this process or in another.
///
/// Load handlers run on a thread of their own and must call their completion handler once, with a value or an error. One that
/// blocks delays nobody else, unless 2,048 in the process do: further handlers then wait. Completion handlers of loads do not;
/// they run on an arbitrary thread, after the loading call has returned.
///
/// The `Progress` that a load returns can be cancelled; it is finished when the completion handler is called. It may be made a child
/// of another progress, also while other children of that one already move: the loads of the process move their progresses one
/// at a time, and none while one of them is being added. That is as far as it goes, because Foundation on Linux changes a
/// progress without a lock: do not set a parent's own `completedUnitCount`, or move children of it that are not loads, while
/// loads below it run; and a thread that the system stops in the middle of an `addChild`, for want of memory, is not
/// waited for.
///
/// A folder arrives with what it holds of files, folders and symbolic links. Pipes, sockets and devices in it are left out,
/// and the load succeeds.
///
/// All methods may be called from any thread. The class itself is not declared `Sendable`, as on Apple's platforms.
///
/// Source: Foundation, `NSItemProvider.h`, the binary interface.
open class NSItemProvider: NSObject, NSCopying {
    /// The registered representations and the name, in a form that may cross threads.
    package let promise: ItemPromise

    /// An item without any representation.
    public override init() {
        promise = ItemPromise()
        super.init()
    }

    package init(promise: ItemPromise) {
        self.promise = promise
        super.init()
    }

    /// An item that is an object: a URL, a string, data, a dictionary, an image, or anything else that can be coded.
    ///
    /// - Parameters:
    ///   - item: without one, every load fails with `itemUnavailableError`.
    ///   - typeIdentifier: the type to offer it as; `nil` takes that of the object's class. The URL of a file stands for the
    ///     file's contents unless the type is a kind of `public.url`.
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

    /// A provider with the same representations and name. What is registered later on one is not seen by the other. A subclass
    /// whose copies are to be of its own class overrides this.
    open func copy(with zone: NSZone? = nil) -> Any {
        NSItemProvider(promise: ItemPromise(copying: promise))
    }

    /// A copy, see ``copy(with:)``.
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
    /// Without one, a copied file keeps its own name, and data is named after its type. Separators and control characters
    /// are replaced when a file is made, the type's extension is added, and a name longer than 255 bytes is cut.
    open var suggestedName: String? {
        get { promise.suggestedName }
        set { promise.suggestedName = newValue }
    }

    // MARK: - Registering

    /// Promises data of a type.
    ///
    /// - Parameters:
    ///   - typeIdentifier: the type, such as `public.png`. A type that is already registered is left as it is.
    ///   - visibility: which processes may load it.
    ///   - loadHandler: called for each load; calls its completion handler once. The progress it returns is shown to
    ///     the consumer and is cancelled when the consumer cancels.
    open func registerDataRepresentation(
        forTypeIdentifier typeIdentifier: String, visibility: NSItemProviderRepresentationVisibility,
        loadHandler: @escaping @Sendable (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress?
    ) {
        promise.register(.data(typeIdentifier, visibility: visibility, loadHandler: loadHandler))
    }

    /// Promises a file or a directory of a type.
    ///
    /// - Parameters:
    ///   - fileOptions: with `openInPlace`, a consumer may be given the original file; otherwise it gets a copy, and
    ///     the handler's file or folder may be deleted as soon as its completion handler returns. (A file that is written
    ///     to while another process still copies it fails that load.) So a consumer's copying of what is offered as a
    ///     copy is done before that completion handler returns, on the thread that calls it: do not answer on the main
    ///     thread with a large file or a folder that may not be opened in place.
    ///   - loadHandler: called for each load; calls its completion handler once with the file's URL and whether the file is
    ///     to be read through file coordination, or with an error.
    open func registerFileRepresentation(
        forTypeIdentifier typeIdentifier: String, fileOptions: NSItemProviderFileOptions = [],
        visibility: NSItemProviderRepresentationVisibility,
        loadHandler: @escaping @Sendable (@escaping @Sendable (URL?, Bool, (any Error)?) -> Void) -> Progress?
    ) {
        promise.register(
            .file(typeIdentifier, visibility: visibility, fileOptions: fileOptions, loadHandler: loadHandler))
    }

    /// Promises everything that an object can write, see ``NSItemProviderWriting``. The object is kept until the provider goes.
    open func registerObject(
        _ object: any NSItemProviderWriting, visibility: NSItemProviderRepresentationVisibility
    ) {
        register(writing: object, visibility: visibility)
    }

    /// Promises everything that objects of a class can write, with the object made when a representation is loaded.
    ///
    /// - Parameters:
    ///   - visibility: an upper bound: each type's visibility is the stricter of this and the class's own.
    ///   - loadHandler: called for each load; calls its completion handler once with the object or an error. The consumer sees
    ///     its progress and then that of the object's own writing, and cancels both.
    open func registerObject(
        ofClass aClass: any NSItemProviderWriting.Type, visibility: NSItemProviderRepresentationVisibility,
        loadHandler:
            @escaping @Sendable (@escaping @Sendable ((any NSItemProviderWriting)?, (any Error)?) -> Void) -> Progress?
    ) {
        register(writingClass: aClass, visibility: visibility, loadHandler: loadHandler)
    }

    /// Promises an object of a type, which consumers of the other interface get as data or a file.
    ///
    /// What crosses to another process as itself: strings, attributed strings, URLs, data, images, file wrappers, property
    /// lists, and collections, `NSUUID` and `NSNull` that are none. A file's URL crosses as the file, unless its type is one of
    /// URLs. An object of any other class crosses as its keyed archive. A consumer that asks for its class by name gets the
    /// object, if what it holds is of that class and of Foundation's plain values (strings, numbers, data, dates, URLs, UUIDs,
    /// collections of them), and one that asks for data gets the archive; for every other load it is
    /// `unavailableCoercionError`. An object that holds objects of a second class of the client's own cannot be had but as data:
    /// Foundation on Linux ends the process over an archive of classes that its reader does not expect.
    ///
    /// - Parameter loadHandler: called for each load, see ``LoadHandler``; calls the handler it is given once. For a consumer
    ///   in another process it is told the expected class where that is one that crosses as itself, and of the options those
    ///   that a property list can hold, under keys that are strings, and the preferred size of an image; all in 4 KiB.
    open func registerItem(forTypeIdentifier typeIdentifier: String, loadHandler: @escaping LoadHandler) {
        register(itemForTypeIdentifier: typeIdentifier, loadHandler: loadHandler)
    }

    // MARK: - Asking

    /// The registered types in order of registration: best first.
    open var registeredTypeIdentifiers: [String] {
        promise.representations.map(\.typeIdentifier)
    }

    /// The registered types whose file options include the given ones, in order of registration.
    open func registeredTypeIdentifiers(fileOptions: NSItemProviderFileOptions = []) -> [String] {
        if fileOptions.isEmpty { return registeredTypeIdentifiers }
        return promise.representations.filter { $0.fileOptions.isSuperset(of: fileOptions) }.map(\.typeIdentifier)
    }

    /// Whether some registered type is, or is a kind of, the given one.
    open func hasItemConformingToTypeIdentifier(_ typeIdentifier: String) -> Bool {
        hasRepresentationConforming(toTypeIdentifier: typeIdentifier)
    }

    /// Whether some registered type with these file options is, or is a kind of, the given one.
    open func hasRepresentationConforming(
        toTypeIdentifier typeIdentifier: String, fileOptions: NSItemProviderFileOptions = []
    ) -> Bool {
        registeredTypeIdentifiers(fileOptions: fileOptions)
            .contains { promise.conforms($0, to: typeIdentifier) }
    }

    /// The registered types in order of registration. Identifiers that nobody declared have no `UTType` and are left out, unless
    /// they were registered in this process as one.
    open var registeredContentTypes: [UTType] {
        registeredTypeIdentifiers.compactMap { promise.contentType($0) }
    }

    /// The registered types that may be opened in place, in order of registration.
    open var registeredContentTypesForOpenInPlace: [UTType] {
        registeredTypeIdentifiers(fileOptions: .openInPlace).compactMap { promise.contentType($0) }
    }

    /// The registered types that are, or are kinds of, the given one, in order of registration.
    open func registeredContentTypes(conformingTo contentType: UTType) -> [UTType] {
        registeredContentTypes.filter { $0.conforms(to: contentType) }
    }

    /// Whether an object of a class can be made from a registered representation.
    open func canLoadObject(ofClass aClass: any NSItemProviderReading.Type) -> Bool {
        bestRepresentation(for: aClass) != nil
    }

    // MARK: - Loading

    /// Loads the first representation that conforms to a type, as data.
    ///
    /// A file is read, a directory arrives as a zip archive whose only root entry is the directory.
    ///
    /// - Parameter completionHandler: called once, on an arbitrary queue, with the data or an error: `itemUnavailableError`
    ///   with its cause below it, or `CocoaError.userCancelled`.
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

    /// Loads the first representation that conforms to a type, as a file or directory of the consumer's own.
    ///
    /// - Parameter completionHandler: called once, on an arbitrary queue. The file is deleted when it returns: copy or
    ///   move it away before that.
    @discardableResult
    open func loadFileRepresentation(
        forTypeIdentifier typeIdentifier: String,
        completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) -> Progress {
        loadFile(typeIdentifier, as: .copy) { url, _, error in completionHandler(url, error) }
    }

    /// Loads the first representation that conforms to a type as the provider's own file where that is allowed and
    /// the file can be reached, otherwise as a copy.
    ///
    /// - Parameter completionHandler: called once, on an arbitrary queue, with the file and whether it is the original.
    ///   A copy is deleted when it returns.
    @discardableResult
    open func loadInPlaceFileRepresentation(
        forTypeIdentifier typeIdentifier: String,
        completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
    ) -> Progress {
        loadFile(typeIdentifier, as: .inPlace, completionHandler: completionHandler)
    }

    /// Loads an object of a class from the best representation the class can read: an exact match of types before a
    /// conforming one, in the order of the class's own list.
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

    /// Loads the first representation that conforms to a type as the object that is stored.
    ///
    /// What was registered as data gives `NSData`, and what was registered as a file the file's URL: the original's where that
    /// may be opened in place, else that of a copy, which is deleted with this provider.
    ///
    /// What of another process's objects arrives, and how, is said at ``registerItem(forTypeIdentifier:loadHandler:)``.
    ///
    /// - Parameters:
    ///   - options: for the load handler, such as `NSItemProviderPreferredImageSizeKey`.
    ///   - completionHandler: called once, on an arbitrary queue, with the object or an error: `itemUnavailableError`, or
    ///     `unavailableCoercionError` for an object of another process that is of a class of its own.
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

    /// Loads the first representation that conforms to a type as the object that is stored, see
    /// ``loadItem(forTypeIdentifier:options:completionHandler:)``. Cancelling the task cancels the load
    /// (`CocoaError.userCancelled`). Runs where its caller does.
    nonisolated(nonsending) open func loadItem(
        forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil
    ) async throws -> any NSSecureCoding {
        try await CancellableItem.run { completion in
            loadItem(forTypeIdentifier: typeIdentifier, options: options, completionHandler: completion)
        }
    }

    // MARK: - Preview

    /// Produces a preview: data, the URL of a file, or an image.
    ///
    /// A consumer in another process gets it too, a file as its data, when the handler was set before the item was offered and
    /// the consumer may load every representation of the item; else it sees a preview that is made from an image representation.
    open var previewImageHandler: LoadHandler? {
        get { promise.previewImageHandler }
        set { promise.previewImageHandler = newValue }
    }

    /// Loads a preview: what ``previewImageHandler`` gives or, without one, an image made from the first representation that
    /// is a picture.
    ///
    /// - Parameters:
    ///   - options: with `NSItemProviderPreferredImageSizeKey`, the size in pixels into which a made preview fits.
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

    /// Loads a preview of the item, see ``loadPreviewImage(options:completionHandler:)``. Cancelling the task cancels the load
    /// (`CocoaError.userCancelled`). Runs where its caller does.
    nonisolated(nonsending) open func loadPreviewImage(options: [AnyHashable: Any]! = [:]) async throws
        -> any NSSecureCoding
    {
        try await CancellableItem.run { loadPreviewImage(options: options, completionHandler: $0) }
    }
}
