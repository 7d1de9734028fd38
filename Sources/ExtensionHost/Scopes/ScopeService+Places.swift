import FileCoordination
import LinuxSystem
import Synchronization

/// The names under which the files are coordinated to which the process has access.
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
            // A descriptor leads to the file's current path; a file that was replaced keeps its former one.
            return PlacedItem(
                path: place.string, realPath: item.item.descriptor.path ?? item.item.path, isWritable: item.isWritable)
        }
        return nil
    }

    /// Returns the path of an item for the process, with symbolic links resolved.
    func realPlace(of item: ScopedItem) -> ExactPath {
        PlainPath.moved(ExactPath(item.path), from: ExactPath(folder.path), to: ExactPath(folder.realPath))
    }
}
