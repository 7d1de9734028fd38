import Conduit
import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem

/// Requests for byte ranges, for providers that conform to ``NSFileProviderPartialContentFetching``.
extension ProviderRuntime {
    func addParts(to service: inout Service) {
        on(ProviderServesPartsCall.self, key: { _ in nil }, in: &service) { _, provider, _ throws(ProviderError) in
            ProviderServesParts(
                provider.object is any NSFileProviderPartialContentFetching,
                usesExisting: (provider as? ReplicaProvider)?.incremental != nil,
                keepsCopies: !(provider is ReplicaProvider))
        }
        // Requests for byte ranges do not wait for each other, even if they are about the same file.
        on(ProviderPartCall.self, .transfer, key: { _ in nil }, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            guard let fetching = provider.object as? any NSFileProviderPartialContentFetching else {
                throw ProviderError(.unsupported, message: "the provider gives no parts of files")
            }
            return try Self.part(request, fetching, temporary: provider.temporary, engineRequest)
        }
    }

    /// Fetches a byte range of a file from a provider.
    ///
    /// - Parameter temporary: the directory for files in transfer.
    static func part(
        _ request: ProviderPartCall, _ provider: any NSFileProviderPartialContentFetching, temporary: String,
        _ engineRequest: EngineRequest
    ) throws(ProviderError) -> ProviderPartFile {
        let (start, count) = (Int(request.range.lowerBound), Int(request.range.upperBound - request.range.lowerBound))
        let running = StoppableProgress()
        running.watch { thousandths in
            engineRequest.advance(completed: Int64(count) / 1000 * thousandths, total: Int64(count))
        }
        let result: Result<ProviderPartFile, ProviderError>
        do throws(ProviderError) {
            result = try engineRequest.wait { done in
                let progress = provider.fetchPartialContents(
                    for: NSFileProviderItemIdentifier(request.identifier),
                    version: NSFileProviderItemVersion(
                        contentVersion: Data(request.contentVersion), metadataVersion: Data(request.metadataVersion)),
                    request: ServedRequest(to: provider), minimalRange: NSRange(location: start, length: count),
                    aligningTo: request.alignment, options: [.strictVersioning]
                ) { url, item, range, _, error in
                    // This is called for every reply, even for one that comes too late, because it also removes the
                    // file if it is temporary.
                    let file = url.map { url in
                        Result { () throws(Errno) in try ReturnedFile.take(url, temporary: temporary) }
                    }
                    done(answer(file, item, range, error))
                }
                running.begin(progress)
            }
        } catch {
            // The request is over, so the provider must stop.
            running.cancel()
            throw error
        }
        running.end()
        return try result.get()
    }

    private static func answer(
        _ file: Result<FileDescriptor, Errno>?, _ item: (any NSFileProviderItem)?, _ range: NSRange,
        _ error: (any Error)?
    ) -> Result<ProviderPartFile, ProviderError> {
        if let error { return .failure(partFailure(error)) }
        guard let file, let item else {
            return .failure(ProviderError(.badAnswer, message: "the provider gave neither a part nor an error"))
        }
        // The flags are ignored, because holes read as zeros whether or not they are also holes at the service.
        let (end, isTooFar) = range.location.addingReportingOverflow(range.length)
        guard range.location >= 0, range.length >= 0, !isTooFar else {
            return .failure(ProviderError(.badAnswer, message: "the provider gave the bytes \(range)"))
        }
        return Result { () throws(ProviderError) in
            do throws(Errno) {
                return ProviderPartFile(
                    item: ProviderItem(item), file: try file.get(), range: Int64(range.location)..<Int64(end))
            } catch {
                throw ProviderError(
                    .badAnswer, message: "the provider did not return a file that can be read: \(error)")
            }
        }
    }

    private static func partFailure(_ error: any Error) -> ProviderError {
        var failure = ProviderError(error)
        // To repeat the request does not help, because the provider has another version.
        if (error as? NSFileProviderError)?.code == .versionNoLongerAvailable { failure.kind = .expired }
        return failure
    }
}
