import Foundation

/// What a load brings to the consumer.
package enum Arrival: Sendable {
    case data(Data)
    case file(ArrivedFile)
}

/// A file or directory that has arrived: the original, or a copy in a folder that goes with this value.
package struct ArrivedFile: Sendable {
    package let url: URL
    /// Whether this is the provider's own file.
    package let isInPlace: Bool
    /// What holds a copy. The copy is deleted when the last reference to it goes.
    package let folder: LoadFolder?

    package init(url: URL, isInPlace: Bool, folder: LoadFolder?) {
        self.url = url
        self.isInPlace = isInPlace
        self.folder = folder
    }
}
