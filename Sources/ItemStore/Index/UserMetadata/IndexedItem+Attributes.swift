import ItemValues

/// An item's locally set attributes and their comparison with the provider's.
extension IndexedItem {
    /// Whether any attribute except dates is set locally and overrides the provider's.
    var hasSetAttributes: Bool { mode != nil || !attributes.isEmpty }

    /// Returns the local attributes that differ from the provider's.
    package func attributesToSend(_ kinds: MetadataKinds) -> ItemAttributes {
        var attributes = ItemAttributes()
        if kinds.contains(.modified), let localModified, !Self.isSame(localModified, item.modified) {
            attributes.modified = localModified
        }
        if kinds.contains(.mode), let mode, item.kind != .symbolicLink {
            let wanted = Self.permissions(of: mode)
            if wanted != givenPermissions { attributes.permissions = wanted }
        }
        if kinds.contains(.extendedAttributes), !item.flags.contains(.lacksAttributes) {
            (attributes.changed, attributes.removed) = self.attributes.changes(of: item.attributesAsShown)
        }
        return attributes
    }

    /// Whether the locally set attributes of some kinds equal those of another row, such as an earlier state of this
    /// one.
    package func hasAttributes(of other: IndexedItem, _ kinds: MetadataKinds) -> Bool {
        (!kinds.contains(.modified) || localModified == other.localModified)
            && (!kinds.contains(.mode) || mode == other.mode)
            && (!kinds.contains(.extendedAttributes) || attributes == other.attributes)
    }

    /// Adopts the provider's changes of attributes that were also set locally. A changed value is adopted if the
    /// provider had the local value before. A local value that the provider never had stays. An attribute that the
    /// provider does not report stays, too.
    ///
    /// - Parameter kinds: The kinds that were set locally and are not sent yet. They are newer than the provider's
    ///   report.
    mutating func followAttributes(since before: ProviderItem, except kinds: MetadataKinds) {
        if let mode, !kinds.contains(.mode), let known = before.fileSystemFlags, let now = item.fileSystemFlags,
            known & ItemAttributes.permissionFlags == Self.permissions(of: mode),
            (now ^ known) & ItemAttributes.permissionFlags != 0
        {
            self.mode = Self.mode(mode, withPermissions: now)
        }
        if !kinds.contains(.extendedAttributes), !item.extendedAttributes.isEmpty {
            attributes.follow(item.attributesAsShown, since: before.attributesAsShown)
        }
    }

    /// Drops records that are not needed any more, because the provider has all locally set attributes that it accepts.
    package mutating func reconcileAttributes() {
        guard !item.flags.contains(.lacksAttributes) else { return }
        attributes.settle(given: item.attributesAsShown)
    }

    /// Returns a mode with the owner's permissions as the provider reports them. Group and others get no new
    /// permissions, except to execute what they may read.
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

    /// Whether two dates are equal to the microsecond.
    private static func isSame(_ date: Double, _ other: Double?) -> Bool {
        other.map { ($0 * 1e6).rounded() == (date * 1e6).rounded() } ?? false
    }

    /// Returns `NSFileProviderFileSystemFlags` for the owner's permissions.
    private static func permissions(of mode: UInt16) -> UInt {
        (mode & 0o100 != 0 ? 1 : 0) | (mode & 0o400 != 0 ? 2 : 0) | (mode & 0o200 != 0 ? 4 : 0)
    }
}
