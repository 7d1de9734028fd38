import Glibc
import LinuxSystem

/// Looks now and then at every folder that was listed, and tells when anything has changed: a confined process may not be told
/// by the kernel what others do with their files.
enum FolderPoll {
    /// At least so many seconds lie between two looks, and ten times what a look takes.
    private static let pause = 1.0

    /// Goes on for as long as somebody has the catalogue.
    static func start(_ catalogue: SharedCatalogue, _ tell: @escaping @Sendable () -> Void) throws(Errno) {
        let reference = WeakCatalogue(catalogue)
        try SystemThread.start("purvey-poll") {
            var rest = pause
            while true {
                usleep(useconds_t(rest * 1e6))
                guard let catalogue = reference.catalogue else { return }
                let start = ContinuousClock.now
                if hasChanged(catalogue) { tell() }
                rest = min(60, max(pause, 10 * ((ContinuousClock.now - start) / .seconds(1))))
            }
        }
    }

    /// One folder after the other, so that nobody waits for all of them.
    private static func hasChanged(_ catalogue: SharedCatalogue) -> Bool {
        let folders = (try? catalogue.perform { try $0.listedFolders() }) ?? []
        var hasChanged = false
        for folder in folders where (try? catalogue.perform({ try $0.lookAt(folder) })) == true { hasChanged = true }
        return hasChanged
    }

    private struct WeakCatalogue: Sendable {
        weak let catalogue: SharedCatalogue?

        init(_ catalogue: SharedCatalogue) { self.catalogue = catalogue }
    }
}
