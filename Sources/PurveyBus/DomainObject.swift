import DomainMessages

/// A domain as an object on the bus.
struct DomainObject: Equatable {
    let path: String
    let name: String
    let needsSignIn: Bool
    /// All properties, in the order of the description.
    let properties: [(name: String, value: BusValue)]

    init(_ activity: DomainActivity) {
        let domain = activity.domain
        // A domain with a damaged record has no readable identifier.
        path = BusNames.path(ofDomain: domain.identifier.isEmpty ? "name:" + domain.name : domain.identifier)
        name = domain.name
        needsSignIn = activity.needsSignIn
        properties = [
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
    }

    static func == (left: DomainObject, right: DomainObject) -> Bool {
        left.path == right.path && left.changes(from: right).isEmpty
    }

    /// Returns the properties that differ from earlier ones.
    func changes(from before: DomainObject) -> [(name: String, value: BusValue)] {
        zip(properties, before.properties).filter { $0.value != $1.value }.map(\.0)
    }

    func property(_ name: String) -> BusValue? { properties.first { $0.name == name }?.value }
}
