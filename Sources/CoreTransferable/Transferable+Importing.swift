import Foundation
import ItemProvider
import UniformTypeIdentifiers

extension Transferable {
    /// A value from data.
    ///
    /// - Parameter contentType: what the data is; `nil` tries every importing representation in turn, until one succeeds.
    public init(importing data: Data, contentType: UTType?) async throws {
        let provider = { (type: UTType) in
            let provider = NSItemProvider()
            provider.registerDataRepresentation(for: type) { completion in
                completion(data, nil)
                return nil
            }
            return provider
        }
        self = try await Self.imported(contentType.map { [$0] }, provider)
    }

    /// A value from a file, which stays where it is.
    ///
    /// - Parameter contentType: what the file is; `nil` tells it from the name and, where that says nothing, from the contents.
    public init(importing file: URL, contentType: UTType?) async throws {
        let types = [contentType ?? FileType.type(of: file)]
        self = try await Self.imported(types) { NSItemProvider(contentsOf: file, contentType: $0, openInPlace: true) }
    }

    /// - Parameter types: what there is; `nil` for whatever an importing representation wants.
    private static func imported(_ types: [UTType]?, _ provider: (UTType) -> NSItemProvider) async throws -> Self {
        let resolution = Self.resolution()
        var failure: any Error = TransferError.notImported(
            type: "\(Self.self)", from: types?.map(\.identifier) ?? ["data"], cycles: resolution.cycles)
        for candidate in resolution.imports {
            for type in types ?? [candidate.contentType] where type.conforms(to: candidate.contentType) {
                let promise = provider(type).promise
                guard let representation = promise.representation(of: type.identifier) else { continue }
                do {
                    return try await TransferImport.run(candidate, representation, promise).as(Self.self)
                } catch {
                    if types != nil || Task.isCancelled { throw error }
                    failure = error
                }
            }
        }
        throw failure
    }
}
