import ItemValues

/// Compares an item's locally set attributes with those that the provider reports.
extension IndexedItem {
    /// Whether at least one attribute other than a date is set locally and overrides the provider's.
    var hasSetAttributes: Bool { mode != nil || !attributes.isEmpty }

    /// Returns the locally set attributes of the given kinds that differ from the provider's.
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

    /// Whether this row has the same locally set attributes of the given kinds as the row `other`, which may be an
    /// earlier state of the same item.
    package func hasAttributes(of other: IndexedItem, _ kinds: MetadataKinds) -> Bool {
        (!kinds.contains(.modified) || localModified == other.localModified)
            && (!kinds.contains(.mode) || mode == other.mode)
            && (!kinds.contains(.extendedAttributes) || attributes == other.attributes)
    }

    /// Adopts the provider's changes of attributes that were also set locally. A changed value is adopted if the
    /// provider had the local value before. A local value that the provider did not have before stays. If the provider
    /// reports no permissions, the local permissions stay. If it reports no extended attributes at all, the local ones
    /// stay.
    ///
    /// - Parameters:
    ///   - before: The provider's previous report.
    ///   - kinds: The kinds that were set locally and not sent yet. They are newer than the provider's report and stay.
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

    /// Drops the local removals of attributes that the provider no longer reports. Called when no locally set attribute
    /// has to be sent any more.
    package mutating func reconcileAttributes() {
        guard !item.flags.contains(.lacksAttributes) else { return }
        attributes.settle(given: item.attributesAsShown)
    }

    /// Returns the given mode with the owner's permissions replaced by those that the provider reports. Group and
    /// others get no new permissions, except to execute what they may read.
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

    /// Whether the two dates are equal when rounded to microseconds; `false` if `other` is `nil`.
    private static func isSame(_ date: Double, _ other: Double?) -> Bool {
        other.map { ($0 * 1e6).rounded() == (date * 1e6).rounded() } ?? false
    }

    /// Returns the owner's permissions in the given mode as `NSFileProviderFileSystemFlags`.
    private static func permissions(of mode: UInt16) -> UInt {
        (mode & 0o100 != 0 ? 1 : 0) | (mode & 0o400 != 0 ? 2 : 0) | (mode & 0o200 != 0 ? 4 : 0)
    }
}
