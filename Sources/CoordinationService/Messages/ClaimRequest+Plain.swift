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

    /// The values of a notice. Key 0 is its tag.
    static let plainSchema = Schema(
        { (number: UInt64, path: PathMessage, bits: UInt64, purpose: String, timeLimit: Int) throws(MessageError) in
            guard let traits = UInt16(exactly: bits) else { throw .invalid("unknown traits of a claim: \(bits)") }
            let access = try Access(checking: path.path, key: path.path, Access.Traits(rawValue: traits))
            if let fault = ClaimLimits.fault([access], purpose: purpose) { throw .invalid(fault) }
            return ClaimRequest(number: number, accesses: [access], purpose: purpose, presenterTimeLimit: timeLimit)
        },
        Field(1, \ClaimRequest.number), Field(5, { PathMessage($0.accesses[0].path) }),
        Field(11, { UInt64($0.accesses[0].traits.rawValue) }), Field(12, \.purpose), Field(13, \.presenterTimeLimit))
}
