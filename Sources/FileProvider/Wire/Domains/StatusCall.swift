import Conduit

/// Asks what the daemon and its domains are doing.
package struct DomainsStatusCall: Call {
    package static var method: UInt64 { DomainMethod.status }

    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}

    package struct Reply: Message {
        /// The daemon's.
        package let processID: Int32
        package let domains: [DomainActivity]

        package init(processID: Int32, domains: [DomainActivity]) {
            self.processID = processID
            self.domains = domains
        }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            processID = try decoder.decode(forKey: 0)
            domains = try decoder.decode(forKey: 1)
        }

        package func encode(to encoder: inout MessageEncoder) {
            encoder.encode(processID, forKey: 0)
            encoder.encode(domains, forKey: 1)
        }
    }
}

/// What a domain is doing.
package struct DomainActivity: Message, Equatable {
    package var domain: DomainDescription
    /// Changes that wait for their turn to go to the service, and those on their way.
    package var uploadsWaiting: Int
    package var uploadsInFlight: Int
    package var downloadsWaiting: Int
    package var downloadsInFlight: Int
    /// What needs a person, one sentence each.
    package var faults: [String]

    package init(
        domain: DomainDescription, uploadsWaiting: Int = 0, uploadsInFlight: Int = 0, downloadsWaiting: Int = 0,
        downloadsInFlight: Int = 0, faults: [String] = []
    ) {
        self.domain = domain
        self.uploadsWaiting = uploadsWaiting
        self.uploadsInFlight = uploadsInFlight
        self.downloadsWaiting = downloadsWaiting
        self.downloadsInFlight = downloadsInFlight
        self.faults = faults
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decode(forKey: 0)
        uploadsWaiting = try decoder.decode(forKey: 1)
        uploadsInFlight = try decoder.decode(forKey: 2)
        downloadsWaiting = try decoder.decode(forKey: 3)
        downloadsInFlight = try decoder.decode(forKey: 4)
        faults = try decoder.decode(forKey: 5)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(domain, forKey: 0)
        encoder.encode(uploadsWaiting, forKey: 1)
        encoder.encode(uploadsInFlight, forKey: 2)
        encoder.encode(downloadsWaiting, forKey: 3)
        encoder.encode(downloadsInFlight, forKey: 4)
        encoder.encode(faults, forKey: 5)
    }
}
