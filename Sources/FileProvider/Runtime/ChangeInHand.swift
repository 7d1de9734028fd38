/// The item that the provider is asked to change, wherever its code runs for that: what waits for changes there does not wait for
/// this one. A queue of the provider's own does not know it.
enum ChangeInHand {
    @TaskLocal static var identifier: String?

    /// Runs client code that changes an item; `nil` for code that changes none.
    static func run<Value>(
        _ changed: String?, _ body: () throws(ProviderFailure) -> Value
    ) throws(ProviderFailure) -> Value {
        guard let changed else { return try body() }
        let result = $identifier.withValue(changed) { Result { () throws(ProviderFailure) in try body() } }
        return try result.get()
    }
}
