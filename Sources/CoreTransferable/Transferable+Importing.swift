import Foundation
import ItemProvider
import LinuxSystem
import UniformTypeIdentifiers

extension Transferable {
    /// Creates a value from data.
    ///
    /// - Parameter contentType: the type of the data. With `nil`, all importing representations are tried in turn,
    ///   until one succeeds.
    public init(importing data: Data, contentType: UTType?) async throws {
        let provider = { (type: UTType) in
            let provider = NSItemProvider()
            provider.registerDataRepresentation(for: type) { completion in
                completion(data, nil)
                return nil
            }
            return provider
        }
        self = try await Self.imported(contentType.map { [$0] }, tryingAll: contentType == nil, provider)
    }

    /// Creates a value from a file, which stays in place.
    ///
    /// - Parameter contentType: the type of the file. With `nil`, the type is deduced from the file's name or else from
    ///   its contents, and all representations that import this type are tried in turn, until one succeeds.
    /// - Throws: a `CocoaError` that names the file if it does not exist, or the error of the importing
    ///   representations.
    public init(importing file: URL, contentType: UTType?) async throws {
        guard file.isFileURL else { throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: file]) }
        let type = try await HandlerThreads.shared.value {
            do throws(Errno) {
                _ = try FileStatus.of(file.path)
            } catch {
                throw CocoaError(error, path: file.path)
            }
            return contentType ?? FileType.type(of: file)
        }
        self = try await Self.imported([type], tryingAll: contentType == nil) {
            NSItemProvider(contentsOf: file, contentType: $0, openInPlace: true)
        }
    }

    /// Creates a value with the importing representations.
    ///
    /// - Parameters:
    ///   - types: the offered types; `nil` offers any type that a representation imports.
    ///   - triesAll: whether the next representation is tried if one fails.
    private static func imported(
        _ types: [UTType]?, tryingAll triesAll: Bool, _ provider: (UTType) -> NSItemProvider
    ) async throws -> Self {
        let resolution = Self.resolution()
        var failures: [TransferError.Failure] = []
        for candidate in resolution.imports {
            for type in types ?? [candidate.contentType] where type.conforms(to: candidate.contentType) {
                let promise = provider(type).promise
                guard let representation = promise.representation(of: type.identifier) else { continue }
                do {
                    let choice = TransferImport.Choice(importing: candidate, representation: representation)
                    return try await TransferImport.run(choice, of: promise).as(Self.self)
                } catch {
                    if !triesAll || Task.isCancelled { throw error }
                    failures.append(TransferError.Failure(contentType: candidate.contentType, error: error))
                }
            }
        }
        if failures.count > 1 { throw TransferError.importersFailed(type: "\(Self.self)", failures) }
        throw failures.first?.error
            ?? TransferError.notImported(
                type: "\(Self.self)", from: types?.map(\.identifier) ?? ["data"], fault: resolution.fault)
    }
}
