import FileProviderWire

/// The item that the running provider code was asked to change, as a task-local value. If this code waits for pending
/// changes, the wait excludes this item; otherwise the code would wait for itself. The value does not reach the
/// provider's own dispatch queues.
enum CurrentChange {
    @TaskLocal static var identifier: String?

    /// Runs provider code that changes an item.
    ///
    /// - Parameter changed: the identifier of the item; `nil` if the code changes no item.
    static func run<Value>(
        _ changed: String?, _ body: () throws(ProviderError) -> Value
    ) throws(ProviderError) -> Value {
        guard let changed else { return try body() }
        let result = $identifier.withValue(changed) { Result { () throws(ProviderError) in try body() } }
        return try result.get()
    }
}
