/// The parts of an address of a house.
struct PostalAddress: Equatable, Sendable {
    var street: String?
    var city: String?
    var state: String?
    var postalCode: String?
    var country: String?
}
