/// The interface of an item provider for other modules of the package.
extension NSItemProvider {
    /// The representations in order of registration.
    package var representations: [Representation] { promise.representations }

    package func register(_ representation: Representation) {
        promise.register(representation)
    }
}

extension ItemPromise {
    /// Runs the load handler of a registered type once, without conversion: its result is handed over unchanged.
    ///
    /// The parameters are those of ``SupplyTask``. A type that is not registered exactly so completes with
    /// `itemUnavailableError` before this returns, and gives no task.
    package func supply(
        _ typeIdentifier: String, for delivery: Delivery, report: @escaping @Sendable (Double) -> Void,
        completion: @escaping SupplyTask.Completion
    ) -> SupplyTask? {
        guard let representation = representation(of: typeIdentifier) else {
            let registered = representations.map(\.typeIdentifier)
            completion(.failure(ItemProviderError.noRepresentation(of: typeIdentifier, registered: registered)))
            return nil
        }
        return SupplyTask(representation, for: delivery, report: report, completion: completion)
    }
}
