import FileProvider

/// What was set here of an item beside its contents, and what the provider says of the same.
extension IndexedItem {
    /// Whether anything was set here besides dates that goes before what the provider says.
    var hasSetAttributes: Bool { mode != nil || !attributes.isEmpty }

    /// Those that are other here than the provider says.
    func attributesToSend(_ kinds: FactKinds) -> ItemAttributes {
        var attributes = ItemAttributes()
        if kinds.contains(.modified), let localModified, !Self.isSame(localModified, item.modified) {
            attributes.modified = localModified
        }
        if kinds.contains(.mode), let mode, item.kind != .symbolicLink {
            let wanted = Self.permissions(of: mode)
            if wanted != givenPermissions { attributes.permissions = wanted }
        }
        if kinds.contains(.extendedAttributes), !item.flags.contains(.lacksAttributes) {
            (attributes.changed, attributes.removed) = self.attributes.changes(of: item.attributesHere)
        }
        return attributes
    }

    /// Whether what was set here is the same as in another state of the row.
    func hasAttributes(of other: IndexedItem, _ kinds: FactKinds) -> Bool {
        (!kinds.contains(.modified) || localModified == other.localModified)
            && (!kinds.contains(.mode) || mode == other.mode)
            && (!kinds.contains(.extendedAttributes) || attributes == other.attributes)
    }

    /// Takes over what the provider says anew of what it had as it was set here. What it never had so stays as it was set, and where it
    /// says nothing, that is no news.
    ///
    /// - Parameter kinds: what was set here and not sent yet, which is newer than the provider's word.
    mutating func followAttributes(since before: ProviderItem, except kinds: FactKinds) {
        if let mode, !kinds.contains(.mode), let known = before.fileSystemFlags, let now = item.fileSystemFlags,
            known & ItemAttributes.permissionFlags == Self.permissions(of: mode),
            (now ^ known) & ItemAttributes.permissionFlags != 0
        {
            self.mode = Self.mode(mode, withPermissions: now)
        }
        if !kinds.contains(.extendedAttributes), !item.extendedAttributes.isEmpty {
            attributes.follow(item.attributesHere, since: before.attributesHere)
        }
    }

    /// The provider has what was set here, as far as it takes that.
    mutating func settleAttributes() {
        guard !item.flags.contains(.lacksAttributes) else { return }
        attributes.settle(given: item.attributesHere)
    }

    /// A mode with what a provider says of the owner. Others get no more than they had, but may run what they may read.
    private static func mode(_ mode: UInt16, withPermissions flags: UInt) -> UInt16 {
        var mode = mode
        if flags & 2 == 0 { mode &= ~0o444 } else { mode |= 0o400 }
        if flags & 4 == 0 { mode &= ~0o222 } else { mode |= 0o200 }
        if flags & 1 == 0 {
            mode &= ~0o111
        } else if mode & 0o100 == 0 {
            mode |= (mode & 0o444) >> 2
        }
        return mode
    }

    private var givenPermissions: UInt {
        item.fileSystemFlags.map { $0 & ItemAttributes.permissionFlags } ?? Self.permissions(of: givenMode)
    }

    /// Dates are kept to the microsecond.
    private static func isSame(_ date: Double, _ other: Double?) -> Bool {
        other.map { ($0 * 1e6).rounded() == (date * 1e6).rounded() } ?? false
    }

    /// `NSFileProviderFileSystemFlags` by what the owner may do.
    private static func permissions(of mode: UInt16) -> UInt {
        (mode & 0o100 != 0 ? 1 : 0) | (mode & 0o400 != 0 ? 2 : 0) | (mode & 0o200 != 0 ? 4 : 0)
    }
}
