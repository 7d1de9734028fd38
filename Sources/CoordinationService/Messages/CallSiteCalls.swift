import Conduit

/// Asks the daemon for the source location of another client's claim. That claim must have caused the denial of a claim
/// of the calling client.
package struct FindCallSiteCall: Call, SchemaMessage {
    package static var method: UInt64 { 104 }

    package let client: UInt64
    package let claim: UInt64

    package init(client: UInt64, claim: UInt64) {
        self.client = client
        self.claim = claim
    }

    package static let schema = Schema(Self.init, Field(0, \.client), Field(1, \.claim))

    package struct Reply: SchemaMessage {
        /// The source location that the other process reported; `nil` if it reported none.
        package let place: String?
        /// The ID of the other process. `nil` if the process has disconnected, or if either process is confined.
        /// `program` is the name of the process's executable.
        package let process: Int?
        package let program: String?

        package init(place: String?, process: Int?, program: String?) {
            self.place = place
            self.process = process
            self.program = program
        }

        package static let schema = Schema(Self.init, Field(0, \.place), Field(1, \.process), Field(2, \.program))

        var words: String? {
            guard let process else { return place }
            let program = "\(program ?? "a program") (process \(process))"
            return place.map { "\($0) in \(program)" } ?? "a place in \(program) that it has not named"
        }
    }
}

/// Asks a process for the source location of one of its claims. The daemon sends this call.
package struct CallSiteCall: Call, SchemaMessage {
    package static var method: UInt64 { 105 }

    package let claim: UInt64

    package init(claim: UInt64) { self.claim = claim }
    package static let schema = Schema(Self.init, Field(0, \.claim))

    package struct Reply: SchemaMessage {
        /// The maximum length of `place` in bytes. A limit is needed because function names can be long.
        private static let limit = 1_000
        package let place: String?

        package init(place: String?) {
            self.place = place.map { String(decoding: $0.utf8.prefix(Self.limit), as: UTF8.self) }
        }

        package static let schema = Schema(Self.init, Field(0, \.place))
    }
}
