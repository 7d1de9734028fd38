import Conduit
import FileCoordination

/// The encoding of plain claims: claims of one item, neither nested in another claim nor made for a presenter. Nearly
/// all claims are plain. They are encoded as values of the notice itself, without nested messages, which takes half as
/// long.
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
