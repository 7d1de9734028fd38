import HTTPTransport
import WebDAVClient
import XMLStream

extension NextcloudWritten {
    /// The properties that the files of a directory have in common with the directory.
    public struct Parent: Sendable {
        /// The kind of storage: ``NextcloudEntry/mountType``.
        public let mountType: String?
        /// The display name of the owner.
        public let owner: String?

        /// Creates the properties of a directory.
        public init(mountType: String?, owner: String?) {
            self.mountType = mountType
            self.owner = owner
        }
    }

    /// Returns the entry of a new file without a further request. The entry equals the one that a listing would have:
    /// the file is no favorite, and has no tags, shares or preview yet.
    ///
    /// - Returns: `nil` if the reply lacks a property, or the server may have set another date.
    public func entry(
        of name: String, at address: HTTPAddress, size: Int, _ modified: HTTPDate?, _ parent: Parent
    ) -> DAVEntry? {
        guard hasTakenDate, let modified, let tag, let instanceID, let permissionLetters,
            // The server's identifier, which follows the file's identifier, begins with a letter.
            let number = Int64(instanceID.prefix { $0.isASCII && $0.isNumber })
        else { return nil }
        var properties = [
            DAVElement(.oc("id"), text: instanceID), DAVElement(.oc("fileid"), text: String(number)),
            DAVElement(.oc("permissions"), text: permissionLetters), DAVElement(.oc("size"), text: String(size)),
        ]
        if let mountType = parent.mountType { properties.append(DAVElement(.nc("mount-type"), text: mountType)) }
        if let owner = parent.owner { properties.append(DAVElement(.oc("owner-display-name"), text: owner)) }
        return DAVEntry(
            file: name, address: address, length: size, tag: tag, modified: modified, properties: properties)
    }
}
