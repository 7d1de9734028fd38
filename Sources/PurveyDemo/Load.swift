/// One load that the consumer asks for.
struct Load: Sendable {
    let promise: Promise
    let representation: Promise.Representation
    let delivery: Promise.Form

    /// How the representation has to arrive: the matrix of providers' and consumers' choices, in one expression.
    ///
    /// A file is shared in place only when both sides want that, and a folder never is.
    var expected: Promise.Form {
        guard delivery == .inPlace else { return delivery }
        if case .file = representation.source, representation.form == .inPlace { return .inPlace }
        return .copy
    }

    /// Every representation in every delivery; the noise as data only.
    static let all: [Load] = Promise.all.flatMap { promise in
        promise.representations.flatMap { representation in
            let deliveries: [Promise.Form] =
                if case .noise = representation.source { [.data] } else { [.data, .copy, .inPlace] }
            return deliveries.map { Load(promise: promise, representation: representation, delivery: $0) }
        }
    }
}
