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
    /// The provider of WebDAV servers, with a server behind a proxy that causes the faults.
    case webdav
    /// The provider of Nextclouds, with the one of the tests behind that proxy.
    case nextcloud

    /// The model of a scriptable provider; `nil` with a real one.
    var scripted: StartedCloud.Model? { StartedCloud.Model(rawValue: rawValue) }

    /// Whether the service receives modes, dates and extended attributes, too.
    var takesAttributes: Bool { scripted?.isReplica == true }

    /// Whether the provider's service is a server that knows only files and folders.
    var isServer: Bool { scripted == nil }

    /// The scenarios that are possible. Servers have no trash and no tags that all providers map in the same way.
    package var scenarios: [Scenario] {
        isServer ? [.uploads, .renames, .removals, .listings, .downloads, .attributes, .parts] : Scenario.allCases
    }
}
