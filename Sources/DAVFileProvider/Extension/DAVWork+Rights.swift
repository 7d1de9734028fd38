import FileProvider
import SQLite
import WebDAVClient

/// Checks the user's permissions. The checks prevent changes that the server itself would permit but that have unwanted
/// effects, such as ending a share by removing its folder.
extension DAVWork {
    /// Checks that the user may remove an item, and that the item contains no share or external storage. The server
    /// would end a share if the shared folder or a parent of it is removed.
    func requireRemovable(_ known: DAVKnownItem) async throws {
        try known.require(.allowsDeleting)
        guard known.isFolder else { return }
        let number = known.item.number
        let mount = try await account.catalogue.perform { catalogue in
            try catalogue.mountRoots().first { try $0.number != number && catalogue.isWithin($0.parent, number) }
        }
        guard let mount else { return }
        throw DAVError.forbidden(
            known.name, reason: "it contains the share or storage “\(mount.name)”, which would be ended")
    }
}

extension DAVKnownItem {
    /// Throws `forbidden` if the service has reported that the user lacks the permission for the given capability. Does
    /// not throw if the service has reported no permissions.
    func require(_ capability: NSFileProviderItemCapabilities) throws(DAVError) {
        guard let bits = traits.capabilities else { return }
        let isPermitted = NSFileProviderItemCapabilities(rawValue: bits).contains(capability)
        guard !isPermitted else { return }
        let isEncrypted = traits.details["isEncrypted"] != nil
        throw .forbidden(name, reason: isEncrypted ? "it is encrypted end to end, and can only be read here" : nil)
    }
}

extension ServerCatalogue {
    /// The text by which the stored traits of the top folder of a share or an external storage are recognized.
    private static let mountRoot = "\"isMountRoot\":\"true\""

    /// Returns the known top folders of shares and external storages.
    func mountRoots() throws -> [CataloguedItem] {
        try database.all(
            "SELECT number FROM item WHERE is_folder = 1 AND instr(traits, ?) > 0", .text(Self.mountRoot)
        ) { $0.integer(0) }.compactMap { try item($0) }
    }
}
