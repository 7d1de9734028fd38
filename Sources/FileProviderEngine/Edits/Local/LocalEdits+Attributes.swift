import FileProviderWire
import ItemStore
import LinuxSystem

/// Makes local changes of modes, dates and extended attributes. They are stored in the index. Dates are sent with a
/// file's contents, and the executable bit with a new file. If the provider accepts changes of attributes without
/// contents, these are sent as ``UserMetadata/noteAttributes(_:of:)`` describes.
extension LocalEdits {
    /// Sets the mode and the modification date of the given item. The item's change time becomes the present time even
    /// if both parameters are `nil`.
    ///
    /// - Parameters:
    ///   - mode: The permission bits; `nil` leaves them unchanged.
    ///   - modified: The date in seconds since 1970; `nil` leaves it unchanged.
    /// - Returns: The changed item.
    package func setAttributes(
        of number: ItemNumber, mode: UInt16?, modified: Double?, _ engine: isolated any EngineEvents
    ) throws(EditError) -> IndexedItem {
        try checkOpen()
        let row = try visible(number)
        let now = dateNow
        var kinds: MetadataKinds = []
        if mode != nil { kinds.insert(.mode) }
        if modified != nil { kinds.insert(.modified) }
        let set = kinds
        // Earlier writes have a date of their own. They are recorded first, so that the date set here stays.
        if modified != nil { try noteWritten(number, engine) }
        _ = try evictor.makingRoom(engine) { () throws(EditError) in
            try reading { () throws(IndexError) in
                let noted = try metadata.noteAttributes(set, of: row)
                try writer.writeIndex { writer throws(IndexError) in
                    try writer.update(number) { row in
                        if let mode { row.mode = mode }
                        if let modified { row.localModified = modified }
                        row.localChanged = now
                    }
                    if !noted.isEmpty { try writer.setMetadata(noted, of: number, ItemMetadata()) }
                }
            }
        }
        durable.noteIndexCounts()
        metadata.sendDue(engine)
        return try visible(number)
    }

    private func noteWritten(_ number: ItemNumber, _ engine: isolated any EngineEvents) throws(EditError) {
        do throws(ProviderError) { try writing.compare(number, engine) } catch { throw EditError(error) }
    }

    /// Sets or removes an extended attribute of the given item.
    ///
    /// - Parameters:
    ///   - name: The full name, such as `user.color`.
    ///   - value: The new value; `nil` removes the attribute.
    ///   - isThere: `true` if the attribute must exist already, `false` if it must not exist yet, `nil` if both are
    ///     allowed.
    /// - Throws: `ENODATA` or `EEXIST` if the condition of `isThere` is not met; `ENODATA` if the attribute to remove
    ///   does not exist; `ENOSPC` if all attributes of the item would exceed ``LocalAttributes/sizeLimit`` bytes.
    package func setExtendedAttribute(
        _ name: String, of number: ItemNumber, to value: [UInt8]?, if isThere: Bool? = nil,
        _ engine: isolated any EngineEvents
    ) throws(EditError) {
        try checkOpen()
        var row = try visible(number)
        let wasThere = row.extendedAttributes[name] != nil
        if isThere ?? (value == nil), !wasThere { throw EditError(.noData) }
        if isThere == false, wasThere { throw EditError(.fileExists) }
        if let value {
            guard row.setAttribute(name, to: value) else { throw EditError(.noSpace) }
        } else {
            row.removeAttribute(name, mayBeSent: metadata.mayTakeAttributes)
        }
        let changed = row
        let now = dateNow
        try reading { () throws(IndexError) in
            let noted = try metadata.noteAttributes(.extendedAttributes, of: changed)
            try writer.writeIndex { writer throws(IndexError) in
                try writer.update(number) { row in
                    row.attributes = changed.attributes
                    row.localChanged = now
                }
                if !noted.isEmpty { try writer.setMetadata(noted, of: number, ItemMetadata()) }
            }
        }
        durable.noteIndexCounts()
        metadata.sendDue(engine)
    }
}
