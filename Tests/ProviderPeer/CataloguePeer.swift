import Foundation
import Glibc

/// The common part of the peers of both models. A directory contains their tree and a file of notes for the test.
protocol CataloguePeer: AnyObject {
    var catalogue: Catalogue { get }
    var folder: URL { get }
}

extension CataloguePeer {
    /// Appends a line to the notes for the test.
    func note(_ text: String) {
        let file = open(folder.path + "/notes", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard file >= 0 else { return }
        let line = Array((text + "\n").utf8)
        _ = write(file, line, line.count)
        close(file)
    }
}
