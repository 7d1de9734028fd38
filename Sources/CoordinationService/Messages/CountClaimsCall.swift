import Conduit

/// Asks for the number of granted and waiting claims of all processes, to diagnose why a program waits.
package struct CountClaimsCall: Call, SchemaMessage {
    package static var method: UInt64 { 97 }

    package init() {}
    package static let schema = Schema(Self.init)

    package struct Reply: SchemaMessage {
        package let count: Int

        package init(count: Int) { self.count = count }
        package static let schema = Schema(Self.init, Field(0, \.count))
    }
}
