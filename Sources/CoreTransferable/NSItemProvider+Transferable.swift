import Foundation
import ItemProvider
import LinuxSystem
import UniformTypeIdentifiers

/// Source: CoreTransferable, the bridge to item providers.
extension NSItemProvider {
    /// Registers all representations that a value exports.
    ///
    /// The value is created for each load. It is also created once at registration, if the offer depends on it. This is
    /// the case if a representation has an exporting condition, or if the item has no name yet and the file name
    /// depends on the value.
    ///
    /// ```swift
    /// let provider = NSItemProvider()
    /// provider.register(note)
    /// ```
    public func register<T>(_ transferable: @autoclosure @escaping @Sendable () -> T) where T: Transferable {
        let exports = T.resolution().exports
        let make: @Sendable () -> TransferredValue = { TransferredValue(value: transferable()) }
        let isNamedByValue = exports.lazy.compactMap(\.fileName).first?.needsValue ?? false
        let dependsOnValue = exports.contains { $0.condition != nil } || (isNamedByValue && suggestedName == nil)
        let value = dependsOnValue ? make() : nil
        for export in exports where value.map(export.isExported) ?? true {
            register(export.representation(make))
            if suggestedName == nil, let name = export.fileName?.name(for: value) { suggestedName = name }
        }
    }

    /// Loads a value with the first importing representation whose content type the item offers.
    ///
    /// - Parameter completionHandler: called once, on an arbitrary queue, with the value or an error. If the progress
    ///   is cancelled, the handler is called at once with `CocoaError.userCancelled`, even if an importing closure does
    ///   not return.
    public func loadTransferable<T>(
        type transferableType: T.Type, completionHandler: @escaping @Sendable (Result<T, any Error>) -> Void
    ) -> Progress where T: Transferable {
        let resolution = T.resolution()
        let choices = resolution.imports.compactMap { importing -> TransferImport.Choice? in
            let identifier = importing.contentType.identifier
            let representation =
                promise.representation(of: identifier) ?? promise.representation(conformingTo: identifier)
            return representation.map { TransferImport.Choice(importing: importing, representation: $0) }
        }
        guard let first = choices.first else {
            let error = TransferError.notImported(
                type: "\(T.self)", from: registeredTypeIdentifiers, fault: resolution.fault)
            return LoadOperation.fail(error) { _ in completionHandler(.failure(error)) }
        }
        return TransferImport.start(first, or: choices.dropFirst(), of: promise) { result in
            completionHandler(result.flatMap { value in Result { try value.as(T.self) } })
        }
    }
}

extension ResolvedExport {
    /// Returns the export as an item provider's representation.
    ///
    /// - Parameter make: makes the value, for each load.
    func representation(_ make: @escaping @Sendable () -> TransferredValue) -> Representation {
        Representation(
            typeIdentifier: contentType.identifier, visibility: visibility.itemProviderVisibility,
            fileOptions: allowsOpenInPlace ? .openInPlace : [], suppliesFiles: isFile
        ) { _, completion in
            let progress = Progress.discreteProgress(totalUnitCount: 1)
            // The value is made on this thread and not in the task, because the program's code may block.
            let value = make()
            let task = Task {
                let product: Result<Product, any Error>
                do {
                    product = .success(try await produce(value))
                } catch {
                    product = .failure(error)
                }
                // Opening a file and delivering it may block, which a thread of Swift's task pool must not.
                HandlerThreads.shared.run { completion(product.flatMap { product in Result { try product.supply() } }) }
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

    private func produce(_ value: TransferredValue) async throws -> Product {
        switch payload {
        case .data(let export): return .data(try await export(value))
        case .file(let allowsOpenInPlace, let export):
            let sent = try await export(value)
            return .file(sent.file, isOfferedInPlace: allowsOpenInPlace && sent.allowAccessingOriginalFile)
        }
    }

    /// The result of an exporting closure.
    private enum Product: Sendable {
        case data(Data)
        case file(URL, isOfferedInPlace: Bool)

        /// Returns the result as a supply. Blocks until a file is open.
        func supply() throws -> Supply {
            switch self {
            case .data(let data): return .bytes(data)
            case .file(let url, let isOfferedInPlace):
                return .file(try SuppliedFile(url: url, isOfferedInPlace: isOfferedInPlace, isCoordinated: false))
            }
        }
    }
}
