import ExtensionHost

/// The means of making thumbnails for all domains.
package struct Thumbnails: Sendable {
    let cache: ThumbnailCache
    let pictures: PictureProcess

    /// Creates the thumbnail support.
    ///
    /// - Parameters:
    ///   - path: The directory of the desktop's thumbnail cache.
    ///   - pictures: The process that decodes and scales pictures.
    package init(path: String, pictures: PictureProcess) {
        cache = ThumbnailCache(path: path)
        self.pictures = pictures
    }
}
