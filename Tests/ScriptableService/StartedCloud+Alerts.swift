extension StartedCloud {
    /// The suppression identifier of the alert that appears before an item whose name begins with "asked" is trashed.
    package static let trashAlert = "org.example.trash"

    /// Returns a text of an alert.
    private static func text(_ format: String, _ values: String...) -> [String: Any] {
        ["NSStringFormat": format, "NSStringFormatValues": values]
    }

    /// Returns an interaction in the form of a property list.
    private static func interaction(
        _ rule: String, _ title: [String: Any], _ subtitle: String, continues: Bool = true, suppression: String? = nil
    ) -> [String: Any] {
        var values: [String: Any] = [
            "ActivationRule": rule,
            "Alert": [
                "LocalizedTitle": title, "LocalizedSubTitle": subtitle,
                "LocalizedRecoveryOptions": ["Continue": "Do It"],
                "RecoveryOptions": ["Continue": continues, "Destructive": true],
            ] as [String: Any],
        ]
        values["SuppressionIdentifier"] = suppression
        return values
    }

    /// Alerts for items whose names begin with "asked", and for items that are moved into folders with such names.
    /// Items whose names begin with "fixed" can be neither renamed, moved nor removed.
    package static var standardInteractions: [[String: Any]] {
        [
            [
                "ActivationRule": "sourceItem.filename BEGINSWITH 'asked'", "SuppressionIdentifier": trashAlert,
                "SubInteractions": [
                    interaction(
                        "action == 'Trash' AND sourceItemsCount == 1",
                        text("Move “%@” to the trash?", "firstMatchingItem.filename"), "Others see that."),
                    interaction(
                        "action == 'Trash'", text("Move %@ items to the trash?", "matchingItemsCount"),
                        "Others see that."),
                ],
            ],
            interaction(
                "sourceItem.filename BEGINSWITH 'asked' AND action IN {'Rename', 'Delete'}",
                text("%2$@ of “%1$@”?", "firstMatchingItem.filename", "action"), "It cannot be undone."),
            interaction(
                "destinationItem.filename BEGINSWITH 'asked' AND action IN {'Move', 'Copy', 'CopyIn', 'MoveIn', 'Create'}",
                text("%@ into “%@”?", "action", "destinationItem.filename"), "Others see that."),
            interaction(
                "sourceItem.filename BEGINSWITH 'fixed' AND action IN {'Move', 'Rename', 'Trash', 'Delete'}",
                text("“%@” cannot be changed.", "firstMatchingItem.filename"), "It belongs to others.", continues: false
            ),
        ]
    }
}
