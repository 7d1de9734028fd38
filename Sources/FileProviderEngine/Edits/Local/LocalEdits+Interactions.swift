import AppExtension
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Applies the alerts with which the provider would ask the user about an operation. System calls must return without
/// asking the user.
///
/// If an alert lets the user continue, it is not shown, and the change is made. If an alert forbids the operation, the
/// system call fails.
extension LocalEdits {
    /// Throws `EPERM` if the provider forbids the given operation on an item. Operations on a new item that the
    /// provider does not have yet are not checked, because programs create such items to replace other items.
    ///
    /// - Parameters:
    ///   - folder: The directory into which the item is moved; `nil` if it is not moved.
    ///   - name: The new name of the item; `nil` if it is not renamed.
    func checkPermitted(
        _ operation: UserOperation, _ row: IndexedItem, to folder: IndexedItem? = nil, named name: String? = nil
    ) throws(EditError) {
        guard !configuration.forbiddingInteractions.isEmpty, row.isKnownToProvider else { return }
        let alert = try reading { () throws(IndexError) -> InteractionAlert? in
            guard let item = try subject(of: row.number) else { return nil }
            let destination = try folder.flatMap { folder throws(IndexError) in try subject(of: folder.number) }
            return try forbidding(operation, item, to: destination ?? name.map(InteractionSubject.item(named:)))
        }
        if let alert { try refuse(alert, row.number, row.name) }
    }

    /// Throws `EPERM` if the provider forbids creating an item with the given name in the given directory.
    func checkPermitted(creating name: String, in folder: IndexedItem) throws(EditError) {
        guard !configuration.forbiddingInteractions.isEmpty else { return }
        let alert = try reading { () throws(IndexError) in
            try forbidding(.create, InteractionSubject.item(named: name), to: try subject(of: folder.number))
        }
        if let alert { try refuse(alert, folder.number, name) }
    }

    private func subject(of number: ItemNumber) throws(IndexError) -> PredicateValue? {
        try index.actionSubject(of: number, uploads[number])
    }

    /// Returns the alert that forbids an operation; `nil` if no alert applies, or if the alert lets the user continue.
    private func forbidding(
        _ operation: UserOperation, _ item: PredicateValue, to destination: PredicateValue?
    ) throws(IndexError) -> InteractionAlert? {
        let subject = InteractionSubject(
            operation, [item], to: destination ?? .nothing, domain: try index.actionDomain())
        let alert = UserInteraction.alert(for: subject, in: configuration.forbiddingInteractions)
        return alert?.canContinue == false ? alert : nil
    }

    private func refuse(_ alert: InteractionAlert, _ number: ItemNumber, _ name: String) throws(EditError) {
        recorder.note(.forbidden(alert.sentence), of: number, name)
        throw EditError(.notPermitted)
    }
}
