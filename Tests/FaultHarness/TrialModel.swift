import ScriptableService

/// The provider of the trials' domains, and its service.
package enum TrialModel: String, CaseIterable, Sendable {
    /// A scriptable provider that stores its files itself.
    case documents
    /// A scriptable provider whose files the system stores.
    case replica
    /// The same as ``documents``, with paths as identifiers.
    case documentPaths = "document-paths"
    /// The same as ``replica``, with paths as identifiers.
    case replicaPaths = "replica-paths"
    /// The provider for WebDAV servers, with a server behind a proxy that causes the faults.
    case webdav
    /// The provider for Nextcloud servers, with the tests' server behind the same proxy.
    case nextcloud

    /// The model of a scriptable provider; `nil` for a real provider.
    var scripted: StartedCloud.Model? { StartedCloud.Model(rawValue: rawValue) }

    /// Whether the service stores modes, dates and extended attributes, too.
    var takesAttributes: Bool { scripted?.isReplica == true }

    /// Whether the provider's service is a server, which stores only files and directories.
    var isServer: Bool { scripted == nil }

    /// The scenarios that the service supports. Servers have no trash, and no tags that all providers map in the same
    /// way.
    package var scenarios: [Scenario] {
        isServer ? [.uploads, .renames, .removals, .listings, .downloads, .attributes, .parts] : Scenario.allCases
    }
}
