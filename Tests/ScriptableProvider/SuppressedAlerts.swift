import FileProvider
import Foundation

/// Alerts that the user has suppressed. Each is an empty file in the test's directory.
private enum SuppressedAlerts {
    private static func file(_ identifier: String, _ folder: String) -> String { folder + "/suppressed-" + identifier }

    static func contains(_ identifier: String, in folder: String) -> Bool {
        FileManager.default.fileExists(atPath: file(identifier, folder))
    }

    static func set(_ identifier: String, _ isSuppressed: Bool, in folder: String) {
        let file = file(identifier, folder)
        if isSuppressed {
            _ = FileManager.default.createFile(atPath: file, contents: nil)
        } else {
            try? FileManager.default.removeItem(atPath: file)
        }
    }
}

extension ScriptableProvider: NSFileProviderUserInteractionSuppressing {
    func setInteractionSuppressed(_ suppression: Bool, forIdentifier suppressionIdentifier: String) {
        SuppressedAlerts.set(suppressionIdentifier, suppression, in: folder)
    }

    func isInteractionSuppressed(forIdentifier suppressionIdentifier: String) -> Bool {
        SuppressedAlerts.contains(suppressionIdentifier, in: folder)
    }
}

extension ScriptableReplica: NSFileProviderUserInteractionSuppressing {
    func setInteractionSuppressed(_ suppression: Bool, forIdentifier suppressionIdentifier: String) {
        SuppressedAlerts.set(suppressionIdentifier, suppression, in: folder)
    }

    func isInteractionSuppressed(forIdentifier suppressionIdentifier: String) -> Bool {
        SuppressedAlerts.contains(suppressionIdentifier, in: folder)
    }
}
