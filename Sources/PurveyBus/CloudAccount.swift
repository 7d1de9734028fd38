import DomainMessages

/// A domain as an account of a cloud provider: the interfaces `org.freedesktop.CloudProviders.Provider` and
/// `….Account`. Because of these, file managers and file choosers show the domain among their places.
enum CloudAccount {
    static let providerInterface = "org.freedesktop.CloudProviders.Provider"
    static let interface = "org.freedesktop.CloudProviders.Account"
    /// The properties of the provider, which is this process.
    static let providerProperties: [(name: String, value: BusValue)] = [("Name", .string("Purvey"))]

    /// The states of an account.
    private enum Status: Int32 {
        case idle = 1
        case syncing = 2
        case error = 3
    }

    /// The icon in the syntax of GIcon: the first of these names that the desktop's theme has.
    private static let icon = ". GThemedIcon org.purvey.Files-symbolic folder-remote-symbolic folder-remote"

    /// Returns the properties of a domain's account; `nil` if the domain is not mounted, because there is then no
    /// directory to open.
    static func properties(_ activity: DomainActivity) -> [(name: String, value: BusValue)]? {
        guard let mount = activity.domain.mount else { return nil }
        let (status, details) = standing(activity)
        return [
            ("Name", .string(activity.domain.name)), ("Path", .string(mount)), ("Icon", .string(icon)),
            ("Status", .signed(status.rawValue)), ("StatusDetails", .string(details)),
        ]
    }

    private static func standing(_ activity: DomainActivity) -> (Status, String) {
        if activity.needsSignIn { return (.error, "Sign in: purvey sign-in \(activity.domain.name.shellWord)") }
        if let fault = activity.domain.fault ?? activity.faults.first { return (.error, fault) }
        if let disconnection = activity.disconnection { return (.error, disconnection) }
        if activity.isPaused { return (.idle, "Paused") }
        let uploads = activity.uploadsWaiting + activity.uploadsInFlight
        let downloads = activity.downloadsWaiting + activity.downloadsInFlight
        let parts = [phrase(uploads, "to upload"), phrase(downloads, "to download")].compactMap { $0 }
        return parts.isEmpty ? (.idle, "") : (.syncing, parts.joined(separator: ", "))
    }

    private static func phrase(_ count: Int, _ words: String) -> String? {
        count == 0 ? nil : "\(count) \(count == 1 ? "file" : "files") \(words)"
    }

    /// The description of the interfaces.
    static let description = """
          <interface name="org.freedesktop.CloudProviders.Provider">
            <property name="Name" type="s" access="read"/>
          </interface>
          <interface name="org.freedesktop.CloudProviders.Account">
            <property name="Name" type="s" access="read"/>
            <property name="Path" type="s" access="read"/>
            <property name="Icon" type="s" access="read"/>
            <property name="Status" type="i" access="read"/>
            <property name="StatusDetails" type="s" access="read"/>
          </interface>

        """
}
