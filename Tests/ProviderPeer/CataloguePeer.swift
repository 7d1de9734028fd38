import Foundation
import Glibc

/// The common part of the peers of both models: a tree in a directory, in which they also leave notes.
protocol CataloguePeer: AnyObject {
    var catalogue: Catalogue { get }
    var folder: URL { get }
}

extension CataloguePeer {
    /// Appends a line for the test.
    func note(_ text: String) {
        let file = open(folder.path + "/notes", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard file >= 0 else { return }
        let line = Array((text + "\n").utf8)
        _ = write(file, line, line.count)
        close(file)
    }
}
