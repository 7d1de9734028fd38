import LinuxSystem

/// The fault points of a store, at which tests kill its process. Between any two of them the disk has changed.
package enum SecretStoreStep: String, FaultPoint {
    case keyWritten = "secrets.key.written"
    case keyNamed = "secrets.key.named"
    case itemsStaged = "secrets.items.staged"
    case itemsWritten = "secrets.items.written"
    case itemsReplaced = "secrets.items.replaced"
    case keyInKeyring = "secrets.keyring.stored"
    case keyRemoved = "secrets.key.removed"
    case setAside = "secrets.damaged.aside"
}
