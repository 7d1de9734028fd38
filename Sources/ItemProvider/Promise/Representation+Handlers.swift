import Foundation

extension Representation {
    /// Creates a representation whose handler produces data.
    package static func data(
        _ typeIdentifier: String, visibility: NSItemProviderRepresentationVisibility,
        loadHandler: @escaping @Sendable (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress?
    ) -> Representation {
        Representation(typeIdentifier: typeIdentifier, visibility: visibility, fileOptions: []) { _, completion in
            loadHandler { data, error in
                if let data {
                    completion(.success(.bytes(data)))
                } else {
                    completion(.failure(error ?? ItemProviderError.emptyAnswer()))
                }
            }
        }
    }

    /// Creates a representation whose handler names a file or directory.
    package static func file(
        _ typeIdentifier: String, visibility: NSItemProviderRepresentationVisibility,
        fileOptions: NSItemProviderFileOptions,
        loadHandler: @escaping @Sendable (@escaping @Sendable (URL?, Bool, (any Error)?) -> Void) -> Progress?
    ) -> Representation {
        Representation(
            typeIdentifier: typeIdentifier, visibility: visibility, fileOptions: fileOptions, suppliesFiles: true
        ) { _, completion in
            loadHandler { url, isCoordinated, error in
                guard let url else {
                    return completion(.failure(error ?? ItemProviderError.emptyAnswer()))
                }
                // The file is opened before the handler's completion call returns, because after that the handler may
                // delete it.
                completion(
                    Result {
                        .file(
                            try SuppliedFile(
                                url: url, isOfferedInPlace: fileOptions.contains(.openInPlace),
                                isCoordinated: isCoordinated))
                    })
            }
        }
    }
}
