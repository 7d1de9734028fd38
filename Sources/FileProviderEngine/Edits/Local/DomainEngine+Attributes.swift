import FileProvider
import LinuxSystem

/// Modes, dates and extended attributes that are set on this machine. They are in the index; dates go along with contents, and with a
/// new file whether it can be run; a provider that takes them by themselves is sent them (``noteAttributes(_:of:)``).
extension DomainEngine {
    /// Also where nothing is set, the item counts as changed now.
    ///
    /// - Parameters:
    ///   - mode: permission bits; `nil` leaves them.
    ///   - modified: seconds since 1970; `nil` leaves it.
    package func setAttributes(
        of number: ItemNumber, mode: UInt16?, modified: Double?
    ) throws(EditFailure) -> IndexedItem {
        try checkOpen()
        let row = try visible(number)
        let now = dateNow
        var kinds: FactKinds = []
        if mode != nil { kinds.insert(.mode) }
        if modified != nil { kinds.insert(.modified) }
        let set = kinds
        // What was written before has its own date, which this one comes after.
        if modified != nil { try noteWritten(number) }
        _ = try makingRoom { () throws(EditFailure) in
            try reading { () throws(IndexFailure) in
                let noted = try noteAttributes(set, of: row)
                try writeIndex { writer throws(IndexFailure) in
                    try writer.update(number) { row in
                        if let mode { row.mode = mode }
                        if let modified { row.localModified = modified }
                        row.localChanged = now
                    }
                    if !noted.isEmpty { try writer.setFacts(noted, of: number, ItemFacts()) }
                }
            }
        }
        durable.noteIndexCounts()
        sendFacts()
        return try visible(number)
    }

    private func noteWritten(_ number: ItemNumber) throws(EditFailure) {
        do throws(ProviderFailure) { try compare(number) } catch { throw EditFailure(error) }
    }

    /// - Parameters:
    ///   - name: the full name, such as `user.color`.
    ///   - value: `nil` removes it.
    ///   - isThere: whether it has to be there already, or must not be; `nil` for either.
    /// - Throws: `ENODATA` and `EEXIST` by `isThere`, and of what is to be removed; `ENOSPC` where all of the item's take more than
    ///   ``LocalAttributes/sizeLimit`` bytes.
    package func setExtendedAttribute(
        _ name: String, of number: ItemNumber, to value: [UInt8]?, if isThere: Bool? = nil
    ) throws(EditFailure) {
        try checkOpen()
        var row = try visible(number)
        let wasThere = row.extendedAttributes[name] != nil
        if isThere ?? (value == nil), !wasThere { throw EditFailure(.noData) }
        if isThere == false, wasThere { throw EditFailure(.fileExists) }
        if let value {
            guard row.setAttribute(name, to: value) else { throw EditFailure(.noSpace) }
        } else {
            row.removeAttribute(name, mayBeSent: facts.takesAttributes != false)
        }
        let changed = row
        let now = dateNow
        try reading { () throws(IndexFailure) in
            let noted = try noteAttributes(.extendedAttributes, of: changed)
            try writeIndex { writer throws(IndexFailure) in
                try writer.update(number) { row in
                    row.attributes = changed.attributes
                    row.localChanged = now
                }
                if !noted.isEmpty { try writer.setFacts(noted, of: number, ItemFacts()) }
            }
        }
        durable.noteIndexCounts()
        sendFacts()
    }
}
