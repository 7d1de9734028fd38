import Foundation
import ItemProvider
import LinuxSystem
import UniformTypeIdentifiers

/// Source: CoreTransferable, the bridge to item providers.
extension NSItemProvider {
    /// Offers everything that a value exports.
    ///
    /// The value is made when something of it is loaded, each time, or at once where its type has representations that depend on
    /// the value: those with a condition or a file name made from it.
    public func register<T>(_ transferable: @autoclosure @escaping @Sendable () -> T) where T: Transferable {
        let exports = T.resolution().exports
        let make: @Sendable () -> TransferredValue = { TransferredValue(value: transferable()) }
        let dependsOnValue = exports.contains { $0.condition != nil || $0.fileName != nil }
        let value = dependsOnValue ? make() : nil
        for export in exports where value.map(export.isExported) ?? true {
            register(export.representation(make))
            if suggestedName == nil, let value, let name = export.fileName?(value) { suggestedName = name }
        }
    }

    /// Loads a value of a type, from the first of the type's importing representations that the item has something for.
    ///
    /// - Parameter completionHandler: called once, on an arbitrary queue, with the value or an error.
    public func loadTransferable<T>(
        type transferableType: T.Type, completionHandler: @escaping @Sendable (Result<T, any Error>) -> Void
    ) -> Progress where T: Transferable {
        let resolution = T.resolution()
        for candidate in resolution.imports {
            let identifier = candidate.contentType.identifier
            guard
                let representation = promise.representation(of: identifier)
                    ?? promise.representation(conformingTo: identifier)
            else { continue }
            return TransferImport.start(candidate, representation, promise) { result in
                completionHandler(result.flatMap { value in Result { try value.as(T.self) } })
            }
        }
        let error = TransferError.notImported(
            type: "\(T.self)", from: registeredTypeIdentifiers, cycles: resolution.cycles)
        return LoadOperation.fail(error) { _ in completionHandler(.failure(error)) }
    }
}

extension ResolvedExport {
    /// The export as a promise.
    ///
    /// - Parameter make: makes the value, for each load.
    func representation(_ make: @escaping @Sendable () -> TransferredValue) -> Representation {
        Representation(
            typeIdentifier: contentType.identifier, visibility: visibility.itemProviderVisibility,
            fileOptions: allowsOpenInPlace ? .openInPlace : [], suppliesFiles: isFile
        ) { _, completion in
            let progress = Progress.discreteProgress(totalUnitCount: 1)
            let task = Task {
                let result: Result<Supply, any Error>
                do {
                    result = .success(try await supply(make()))
                } catch {
                    result = .failure(error)
                }
                // What is done with the supply may block, and this thread belongs to all tasks.
                HandlerThreads.shared.run { completion(result) }
            }
            progress.cancellationHandler = { task.cancel() }
            return progress
        }
    }

    private var isFile: Bool {
        if case .file = payload { return true }
        return false
    }

    private var allowsOpenInPlace: Bool {
        if case .file(let allowsOpenInPlace, _) = payload { return allowsOpenInPlace }
        return false
    }

    private func supply(_ value: TransferredValue) async throws -> Supply {
        switch payload {
        case .data(let export): return .bytes(try await export(value))
        case .file(let allowsOpenInPlace, let export):
            let sent = try await export(value)
            return .file(
                try SuppliedFile(
                    url: sent.file, isOfferedInPlace: allowsOpenInPlace && sent.allowAccessingOriginalFile,
                    isCoordinated: false))
        }
    }
}
