import Foundation
import ItemValues
import LinuxSystem

/// Contents on their way to the engine.
extension ReplicaProvider {
    func contents(_ request: ProviderContentsCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderFile
    {
        let identifier = request.identifier
        let result: Result<ProviderFile, ProviderError> = try ask(engineRequest) { done in
            replica.fetchContents(for: NSFileProviderItemIdentifier(identifier), version: nil, request: self.request) {
                [temporary] url, item, error in
                // Taken before the handler returns, even if the request is over: from then on the file belongs to the
                // system.
                let file = url.map { url in
                    Result { () throws(Errno) in try ReturnedFile.take(url, temporary: temporary) }
                }
                done(Self.fetched(file, item, error))
            }
        }
        return try result.get()
    }

    private static func fetched(
        _ file: Result<FileDescriptor, Errno>?, _ item: (any NSFileProviderItem)?, _ error: (any Error)?
    ) -> Result<ProviderFile, ProviderError> {
        if let error { return .failure(ProviderError(error)) }
        guard let file else {
            return .failure(
                ProviderError(.badAnswer, message: "the provider answered with neither a file nor an error"))
        }
        // The item is not asked for now, as it might be of a later version than the file.
        guard let item else {
            return .failure(
                ProviderError(.badAnswer, message: "the provider handed over a file without its item"))
        }
        switch file {
        case .success(let file): return .success(ProviderFile(item: ProviderItem(item).asReplicated, file: file))
        case .failure(let error):
            return .failure(
                ProviderError(.badAnswer, message: "the provider handed over no file that can be read: \(error)"))
        }
    }
}
