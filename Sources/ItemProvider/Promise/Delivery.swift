/// How a consumer wants a representation: the columns of the bridging matrix.
package enum Delivery: Int, Sendable, CaseIterable {
    /// The bytes, in memory.
    case data = 0
    /// A file of the consumer's own, copied from what the provider has.
    case copy = 1
    /// The provider's file itself, where that is allowed and possible; else a copy.
    case inPlace = 2
}
