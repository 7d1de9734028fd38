import FileCoordination
import LinuxSystem
import Synchronization

/// Under which names the files are coordinated that the process is given access to.
extension ScopeService: ConfinedPlaces {
    var name: String { bundle }

    var scopes: String { folder.realPath }

    func item(at path: String) -> PlacedItem? {
        let path = ExactPath(path)
        guard PlainPath.isBeneath(path, ExactPath(folder.realPath)) else { return nil }
        let known = items.withLock { Array($0.values) }
        for item in known {
            let place = realPlace(of: item)
            guard PlainPath.isAtOrBeneath(path, place) else { continue }
            // A descriptor leads to where the file is now; one that was replaced is still known by its old name.
            return PlacedItem(
                path: place.string, realPath: item.item.descriptor.path ?? item.item.path, isWritable: item.isWritable)
        }
        return nil
    }

    /// Where the process finds an item, with the links on the way to the folder of all of them resolved.
    func realPlace(of item: ScopedItem) -> ExactPath {
        PlainPath.moved(ExactPath(item.path), from: ExactPath(folder.path), to: ExactPath(folder.realPath))
    }
}
