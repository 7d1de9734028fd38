import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem

/// Fetches of contents.
extension ReplicaProvider {
    /// The provider, if it can fetch contents as the difference from an older version; otherwise `nil`.
    var incremental: (any NSFileProviderIncrementalContentFetching)? {
        replica as? any NSFileProviderIncrementalContentFetching
    }

    func contents(_ request: ProviderContentsCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderFile
    {
        guard let existing = request.existing else { return try wholeContents(request.identifier, engineRequest) }
        guard let incremental else {
            throw ProviderError(.unsupported, message: "the provider fetches whole files only")
        }
        // The provider gets a copy, because it cannot open files outside of its container, and because it may change
        // the file.
        let file: UploadFile
        do {
            file = try UploadFile(named: "contents", in: temporary)
        } catch {
            throw UploadFile.failure(error, engineRequest)
        }
        defer { file.remove() }
        do {
            try file.fill(with: existing, engineRequest)
        } catch {
            throw UploadFile.failure(error, engineRequest)
        }
        // The metadata version is empty, because the system does not store metadata versions of earlier contents.
        let version = NSFileProviderItemVersion(
            contentVersion: Data(request.existingVersion ?? []), metadataVersion: Data())
        let result: Result<ProviderFile, ProviderError> = try ask(engineRequest, fetching: request.identifier) { done in
            incremental.fetchContents(
                for: NSFileProviderItemIdentifier(request.identifier), version: nil,
                usingExistingContentsAt: file.url, existingVersion: version, request: self.request,
                completionHandler: taking(done))
        }
        do throws(ProviderError) {
            return try result.get()
        } catch {
            guard error.domain == NSFileProviderErrorDomain,
                error.code == NSFileProviderError.Code.versionNoLongerAvailable.rawValue
            else { throw error }
            // To repeat the request does not help. The engine fetches the whole file instead.
            throw ProviderError(.expired, message: error.message)
        }
    }

    private func wholeContents(
        _ identifier: String, _ engineRequest: EngineRequest
    ) throws(ProviderError) -> ProviderFile {
        let result: Result<ProviderFile, ProviderError> = try ask(engineRequest, fetching: identifier) { done in
            replica.fetchContents(
                for: NSFileProviderItemIdentifier(identifier), version: nil, request: self.request,
                completionHandler: taking(done))
        }
        return try result.get()
    }

    /// Returns a completion handler that opens the provider's file and calls `done` with it.
    private func taking(
        _ done: @escaping @Sendable (Result<ProviderFile, ProviderError>) -> Void
    ) -> (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void {
        { [temporary] url, item, error in
            // The file is opened before the handler returns, because the provider may remove the file afterwards. This
            // is done even if the request is over, because it also removes the file if it is temporary.
            let file = url.map { url in
                Result { () throws(Errno) in try ReturnedFile.take(url, temporary: temporary) }
            }
            done(Self.fetched(file, item, error))
        }
    }

    private static func fetched(
        _ file: Result<FileDescriptor, Errno>?, _ item: (any NSFileProviderItem)?, _ error: (any Error)?
    ) -> Result<ProviderFile, ProviderError> {
        if let error { return .failure(ProviderError(error)) }
        guard let file else {
            return .failure(
                ProviderError(.badAnswer, message: "the provider answered with neither a file nor an error"))
        }
        // The item is not requested separately, because its version might be later than that of the file.
        guard let item else {
            return .failure(
                ProviderError(.badAnswer, message: "the provider handed over a file without its item"))
        }
        switch file {
        case .success(let file): return .success(ProviderFile(item: ProviderItem(item).asReplicated, file: file))
        case .failure(let error):
            return .failure(
                ProviderError(.badAnswer, message: "the provider did not return a file that can be read: \(error)"))
        }
    }
}
