import Foundation

/// The result of a load.
package enum Arrival: Sendable {
    case data(Data)
    case file(ArrivedFile)
}

/// A loaded file or directory: the original, or a copy in a temporary directory that is removed with this value.
package struct ArrivedFile: Sendable {
    package let url: URL
    /// Whether this is the provider's own file.
    package let isInPlace: Bool
    /// The temporary directory of a copy. It is deleted with its last reference.
    package let folder: LoadFolder?

    package init(url: URL, isInPlace: Bool, folder: LoadFolder?) {
        self.url = url
        self.isInPlace = isInPlace
        self.folder = folder
    }
}
