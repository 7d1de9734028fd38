import Conduit
import FileCoordination

/// A claim of one item that is not made inside of another one, nor for a presenter. Nearly all are like that, and take half as long
/// to write and to read as values of the notice itself, with no messages inside of each other.
extension ClaimRequest {
    var isPlain: Bool {
        accesses.count == 1 && accesses[0].key == accesses[0].path && presenter == nil && enclosing.isEmpty
            && answering.isEmpty && blocking.isEmpty && handed == nil && !isNoting
    }

    init(plainFrom decoder: inout MessageDecoder) throws(MessageError) {
        let number: UInt64 = try decoder.decode(forKey: 1)
        let path = try ExactPath(checking: decoder.decode(forKey: 5))
        let bits: UInt64 = try decoder.decode(forKey: 11)
        guard let traits = UInt16(exactly: bits) else { throw .invalid("unknown traits of a claim: \(bits)") }
        let purpose: String = try decoder.decode(forKey: 12)
        let access = try Access(checking: path, key: path, Access.Traits(rawValue: traits))
        if let fault = ClaimLimits.fault([access], purpose: purpose) { throw .invalid(fault) }
        self.init(
            number: number, accesses: [access], purpose: purpose, presenterTimeLimit: try decoder.decode(forKey: 13))
    }

    func encodePlainly(to encoder: inout MessageEncoder) {
        encoder.encode(number, forKey: 1)
        encoder.encode(accesses[0].path.string, forKey: 5)
        encoder.encode(UInt64(accesses[0].traits.rawValue), forKey: 11)
        encoder.encode(purpose, forKey: 12)
        encoder.encode(presenterTimeLimit, forKey: 13)
    }
}
