import ExtensionHost

/// What the thumbnails of all domains are made with.
package struct Thumbnails: Sendable {
    let cache: ThumbnailCache
    let pictures: PictureProcess

    /// - Parameters:
    ///   - path: the folder of the desktop's cache.
    ///   - pictures: what decodes pictures.
    package init(path: String, pictures: PictureProcess) {
        cache = ThumbnailCache(path: path)
        self.pictures = pictures
    }
}
