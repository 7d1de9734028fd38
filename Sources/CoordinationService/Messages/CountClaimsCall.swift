import Conduit

/// Asks for the number of granted and waiting claims of all processes, to diagnose why a program waits.
package struct CountClaimsCall: Call {
    package static var method: UInt64 { 97 }

    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}

    package struct Reply: Message {
        package let count: Int

        package init(count: Int) { self.count = count }
        package init(from decoder: inout MessageDecoder) throws(MessageError) { count = try decoder.decode(forKey: 0) }
        package func encode(to encoder: inout MessageEncoder) { encoder.encode(count, forKey: 0) }
    }
}
