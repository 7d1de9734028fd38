import LinuxSystem

extension Representation {
    /// Makes the object of the coercing interface now, to be kept after this process has ended.
    ///
    /// - Parameter completion: called once, unless the client's handler never completes: with `nil` if there is no
    ///   object that can be sent, or if it is just the representation's data.
    package func keepItem(_ completion: @escaping @Sendable (ItemMessage?) -> Void) {
        guard let item else { return completion(nil) }
        let answer = OneShotCompletion(completion)
        HandlerThreads.shared.runHandler { [typeIdentifier] in
            _ = item(ItemRequest(expectedClass: nil, options: nil)) { result in
                guard case .value(let message) = ItemCall.Reply(result, typeIdentifier: typeIdentifier),
                    !message.isPlainData
                else { return answer.complete(nil) }
                answer.complete(message)
            }
        }
    }
}
