import Conduit

/// The state of the serving process.
package struct Status: Call {
    package static let method: UInt64 = 10

    package struct Reply: Message {
        package var processID: Int32
        package var openDescriptors: Int
        /// The number of `Wait` calls that their callers cancelled.
        package var cancelledWaits: Int
        package var heldWaits: Int

        package init(processID: Int32, openDescriptors: Int, cancelledWaits: Int, heldWaits: Int) {
            (self.processID, self.openDescriptors) = (processID, openDescriptors)
            (self.cancelledWaits, self.heldWaits) = (cancelledWaits, heldWaits)
        }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            processID = try decoder.decode(forKey: 0)
            openDescriptors = try decoder.decode(forKey: 1)
            cancelledWaits = try decoder.decode(forKey: 2)
            heldWaits = try decoder.decode(forKey: 3)
        }

        package func encode(to encoder: inout MessageEncoder) {
            encoder.encode(processID, forKey: 0)
            encoder.encode(openDescriptors, forKey: 1)
            encoder.encode(cancelledWaits, forKey: 2)
            encoder.encode(heldWaits, forKey: 3)
        }
    }

    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}
}

/// Limits the serving process to `spare` more descriptors than it has open now.
package struct LimitDescriptors: Call {
    package typealias Reply = Empty
    package static let method: UInt64 = 11
    package var spare: Int

    package init(spare: Int) { self.spare = spare }
    package init(from decoder: inout MessageDecoder) throws(MessageError) { spare = try decoder.decode(forKey: 0) }
    package func encode(to encoder: inout MessageEncoder) { encoder.encode(spare, forKey: 0) }
}

/// Makes the serving process talk to itself `rounds` times over a pair of connections, in every way that passes
/// descriptors. The reply has the number of open descriptors before and after.
package struct Exercise: Call {
    package static let method: UInt64 = 12
    package var rounds: Int

    package struct Reply: Message {
        package var before: Int
        package var after: Int

        package init(before: Int, after: Int) { (self.before, self.after) = (before, after) }
        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            before = try decoder.decode(forKey: 0)
            after = try decoder.decode(forKey: 1)
        }
        package func encode(to encoder: inout MessageEncoder) {
            encoder.encode(before, forKey: 0)
            encoder.encode(after, forKey: 1)
        }
    }

    package init(rounds: Int) { self.rounds = rounds }
    package init(from decoder: inout MessageDecoder) throws(MessageError) { rounds = try decoder.decode(forKey: 0) }
    package func encode(to encoder: inout MessageEncoder) { encoder.encode(rounds, forKey: 0) }
}
