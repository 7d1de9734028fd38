/// A claim's identifier among those of all processes.
package struct ClaimIdentifier: Hashable, Sendable {
    package let client: UInt64
    package let number: UInt64

    package init(client: UInt64, number: UInt64) {
        self.client = client
        self.number = number
    }
}

/// A presenter's identifier among those of all processes.
struct PresenterIdentifier: Hashable, Sendable, Comparable {
    let client: UInt64
    let number: UInt64

    static func < (left: PresenterIdentifier, right: PresenterIdentifier) -> Bool {
        (left.client, left.number) < (right.client, right.number)
    }
}
