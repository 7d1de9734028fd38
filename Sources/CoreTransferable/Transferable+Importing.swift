import Foundation
import ItemProvider
import LinuxSystem
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
        self = try await Self.imported(contentType.map { [$0] }, tryingAll: contentType == nil, provider)
    }

    /// A value from a file, which stays where it is.
    ///
    /// - Parameter contentType: what the file is; `nil` tells it from the name and, where that says nothing, from the contents,
    ///   and tries every representation that imports such files in turn, until one succeeds.
    /// - Throws: a `CocoaError` that names the file when it cannot be found; else what the importing representations throw.
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

    /// - Parameters:
    ///   - types: what there is; `nil` for whatever an importing representation wants.
    ///   - triesAll: whether a representation that fails leaves it to the next.
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
