import DomainMessages

/// A domain as an object on the bus.
struct DomainObject {
    let path: String
    let name: String
    let needsSignIn: Bool
    let isPaused: Bool
    /// Whether something has failed and can be retried.
    let hasFaults: Bool
    /// The interfaces, each with all of its properties in the order of the description.
    let interfaces: [(name: String, properties: [(name: String, value: BusValue)])]

    init(_ activity: DomainActivity) {
        let domain = activity.domain
        // A domain with a damaged record has no readable identifier.
        path = BusNames.path(ofDomain: domain.identifier.isEmpty ? "name:" + domain.name : domain.identifier)
        name = domain.name
        needsSignIn = activity.needsSignIn
        isPaused = activity.isPaused
        hasFaults = domain.fault != nil || !activity.faults.isEmpty || activity.disconnection != nil
        let properties: [(name: String, value: BusValue)] = [
            ("Name", .string(domain.name)),
            ("Identifier", .string(domain.identifier)),
            ("Provider", .string(domain.provider)),
            ("MountPath", .string(domain.mount ?? "")),
            ("State", .string(domain.state.word)),
            ("Connected", .boolean(domain.state == .running && activity.disconnection == nil && !activity.needsSignIn)),
            ("NeedsSignIn", .boolean(activity.needsSignIn)),
            ("Errors", .strings([domain.fault].compactMap { $0 } + activity.faults)),
            ("PendingUploads", .unsigned(UInt32(clamping: activity.uploadsWaiting + activity.uploadsInFlight))),
            ("PendingDownloads", .unsigned(UInt32(clamping: activity.downloadsWaiting + activity.downloadsInFlight))),
        ]
        let account = CloudAccount.properties(activity).map { (name: CloudAccount.interface, properties: $0) }
        interfaces = [(BusNames.domain, properties)] + [account].compactMap(\.self)
    }

    /// Returns the properties of an interface that differ from their values in an earlier state. The earlier state must
    /// have the interface, too.
    func changes(of interface: String, from before: DomainObject) -> [(name: String, value: BusValue)] {
        zip(properties(of: interface), before.properties(of: interface)).filter { $0.value != $1.value }.map(\.0)
    }

    func property(_ name: String, of interface: String) -> BusValue? {
        properties(of: interface).first { $0.name == name }?.value
    }

    private func properties(of interface: String) -> [(name: String, value: BusValue)] {
        interfaces.first { $0.name == interface }?.properties ?? []
    }
}
