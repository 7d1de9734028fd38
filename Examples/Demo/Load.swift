/// One load of the consumer.
struct Load: Sendable {
    let promise: Promise
    let representation: Promise.Representation
    let delivery: Promise.Form

    /// The expected form of the result, depending on the provider's and the consumer's choices.
    ///
    /// A file is shared in place only if both sides request that. A directory is never shared in place.
    var expected: Promise.Form {
        guard delivery == .inPlace else { return delivery }
        if case .file = representation.source, representation.form == .inPlace { return .inPlace }
        return .copy
    }

    /// Every representation in every delivery, except that noise is loaded as data only.
    static let all: [Load] = Promise.all.flatMap { promise in
        promise.representations.flatMap { representation in
            let deliveries: [Promise.Form] =
                if case .noise = representation.source { [.data] } else { [.data, .copy, .inPlace] }
            return deliveries.map { Load(promise: promise, representation: representation, delivery: $0) }
        }
    }
}
