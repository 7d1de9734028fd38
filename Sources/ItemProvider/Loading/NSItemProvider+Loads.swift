import Foundation

extension NSItemProvider {
    /// Starts a load of the first representation that conforms to the given type.
    package func load(
        _ typeIdentifier: String, as delivery: Delivery, completion: @escaping LoadOperation.Completion
    ) -> Progress {
        guard let representation = promise.representation(conformingTo: typeIdentifier) else {
            let error = ItemProviderError.noRepresentation(of: typeIdentifier, registered: registeredTypeIdentifiers)
            return LoadOperation.fail(error, completion: completion)
        }
        return LoadOperation.start(representation, of: promise, as: delivery, completion: completion)
    }

    func loadData(
        _ typeIdentifier: String, completion: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) -> Progress {
        load(typeIdentifier, as: .data) { completion($0.flatMap { $0.asData }) }
    }

    /// Loads a file. A copy is deleted when the completion handler returns.
    func loadFile(
        _ typeIdentifier: String, as delivery: Delivery,
        completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
    ) -> Progress {
        load(typeIdentifier, as: delivery) { result in
            switch result.flatMap({ $0.asFile }) {
            case .success(let file):
                completionHandler(file.url, file.isInPlace, nil)
                file.folder?.remove()
            case .failure(let error):
                completionHandler(nil, false, error)
            }
        }
    }
}

extension Arrival {
    package var asData: Result<Data, any Error> {
        if case .data(let data) = self { return .success(data) }
        return .failure(ItemProviderError.make(.unknownError, "A file arrived instead of the requested data"))
    }

    package var asFile: Result<ArrivedFile, any Error> {
        if case .file(let file) = self { return .success(file) }
        return .failure(ItemProviderError.make(.unknownError, "Data arrived instead of the requested file"))
    }
}
