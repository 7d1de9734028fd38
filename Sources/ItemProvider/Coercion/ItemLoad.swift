import Foundation
import FoundationAdditions
import Images
import LinuxSystem
import UniformTypeIdentifiers

/// One call of `loadItem`. It requests the registered object or, if there is none, loads data or a file. Then it
/// converts the result to the requested class, and completes once.
final class ItemLoad: Sendable {
    private let representation: Representation
    private let promise: ItemPromise
    private let request: ItemRequest
    // Leaf lock: the completion runs after it is released.
    private let completion: Lock<(@Sendable (Result<ItemValue, any Error>) -> Void)?>
    /// The cancellation of the running work, which is the handler of `registerItem` or a subsequent load of data or a
    /// file.
    private let cancellation = PendingCancellation()

    init(
        _ representation: Representation, _ promise: ItemPromise, _ request: ItemRequest,
        _ completion: @escaping @Sendable (Result<ItemValue, any Error>) -> Void
    ) {
        self.representation = representation
        self.promise = promise
        self.request = request
        self.completion = Lock(completion)
    }

    /// Creates a load of a preview that the client's preview handler produces.
    convenience init(
        preview handler: @escaping NSItemProvider.LoadHandler, _ promise: ItemPromise, _ options: [AnyHashable: Any]?,
        _ completion: @escaping @Sendable (Result<ItemValue, any Error>) -> Void
    ) {
        let preview = Representation(
            typeIdentifier: UTType.image.identifier, visibility: .all, fileOptions: [],
            keeper: .handler { _, completion in
                completion(.failure(ItemProviderError.emptyAnswer()))
                return nil
            },
            item: { request, completion in
                handler(
                    { item, error in
                        completion(
                            Result {
                                guard let item else { throw error ?? ItemProviderError.emptyAnswer() }
                                return try PreviewImage.checked(item)
                            })
                    }, UIImage.self, request.options?.value)
                return nil
            })
        self.init(
            preview, promise, ItemRequest(expectedClass: nil, options: options.map { Disconnected($0) }), completion)
    }

    func start() {
        guard let item = representation.item else { return loadAsItComes() }
        HandlerThreads.shared.runHandler {
            let cancel = item(self.request) { result in
                switch result {
                case .success(let value?): self.finish(.success(value))
                case .success(nil): self.loadAsItComes()
                case .failure(let error): self.finish(.failure(error))
                }
            }
            if let cancel { self.cancellation.hold(cancel) }
        }
    }

    /// Completes at once with an error, and cancels the running work.
    func cancel() {
        finish(.failure(ItemProviderError.cancelled()))
        cancellation.cancel()
    }

    /// Loads a representation that has no object: registered data as data, and a registered file as its URL.
    private func loadAsItComes() {
        let progress = LoadOperation.start(representation, of: promise, as: nil) { result in
            switch result {
            case .success(.data(let data)): self.finish(.success(ItemValue(data as NSData)))
            case .success(.file(let file)):
                // The consumer may use the URL later, so the copy must exist as long as the promise.
                if let folder = file.folder { self.promise.keep(folder) }
                self.finish(.success(ItemValue(file.url as NSURL)))
            case .failure(let error): self.finish(.failure(error))
            }
        }
        cancellation.hold { progress.cancel() }
    }

    private var coercion: ItemCoercion {
        let typeIdentifier = representation.typeIdentifier
        return ItemCoercion(
            typeIdentifier: typeIdentifier,
            bridge: Bridge(
                typeIdentifier: typeIdentifier, contentType: promise.undeclaredType(typeIdentifier),
                suggestedName: promise.suggestedName, report: { _ in }, isCancelled: { false }))
    }

    private func finish(_ result: Result<ItemValue, any Error>) {
        let completion = completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        guard let completion else { return }
        let typeIdentifier = representation.typeIdentifier
        let outcome = result.mapError { error in
            (error as NSError).domain == NSItemProvider.errorDomain
                ? error : ItemProviderError.cannotLoad(typeIdentifier, because: error)
        }
        HandlerThreads.shared.run {
            completion(
                outcome.flatMap { value in
                    guard let wanted = self.request.expectedClass?.type else { return .success(value) }
                    return Result {
                        try self.coercion.coerce(value, to: wanted)
                    }
                })
        }
    }
}
