import CAdwaita
import DomainMessages
import FileBrowser
import FileProvider
import FileProviderGTK
import Glibc
import ItemValues
import LinuxSystem

/// Pictures of files from the thumbnail cache that all programs of a desktop share. The daemon fills the cache with
/// pictures from the providers, so that no file is fetched for its picture.
@MainActor final class ItemPictures {
    private struct Key: Hashable {
        let path: String
        /// The modification date that the picture must have.
        let modified: Int
    }

    /// A `GdkTexture` with a reference.
    private final class Texture: Sendable {
        // SAFETY: a texture never changes, and its reference count is atomic.
        nonisolated(unsafe) let pointer: OpaquePointer

        init(owning pointer: OpaquePointer) { self.pointer = pointer }

        deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }
    }

    private var textures: [Key: Texture] = [:]
    /// The pictures that the cache did not have.
    private var missing: Set<Key> = []
    /// The pictures that are being read from the cache.
    private var reading: Set<Key> = []
    private var look: Task<Void, Never>?
    private var looks = 0
    private static let folder = cacheFolder()

    /// Called after pictures were read, and when missing pictures may be read again.
    var whenArrived: () -> Void = {}

    /// The maximum number of pictures in memory, each of at most 128 by 128 pixels.
    private static let most = 600
    /// The maximum number of further reads of the cache for pictures that the daemon has not stored yet.
    private static let mostLooks = 5

    /// Prepares for the items of another folder, and lists the folder in the mount. The daemon then requests the
    /// pictures from the provider.
    func prepare(_ folder: String?) {
        missing = []
        looks = 0
        if textures.count > Self.most { textures = [:] }
        guard let folder else { return }
        HandlerThreads.shared.run {
            guard let directory = opendir(folder) else { return }
            while readdir(directory) != nil {}
            closedir(directory)
        }
    }

    /// Returns the picture of an item. If it is not in memory yet, returns `nil` and begins to read it from the cache.
    func texture(of item: BrowserItem) -> OpaquePointer? {
        guard let path = item.mountedPath, let modified = item.description.modified, Self.hasPicture(item),
            abs(modified) < 1e12
        else { return nil }
        let key = Key(path: path, modified: Int(modified.rounded(.down)))
        if let texture = textures[key] { return texture.pointer }
        if missing.contains(key) || !reading.insert(key).inserted { return nil }
        Task { [weak self, folder = Self.folder] in
            let texture = await HandlerThreads.shared.value { Self.read(key, in: folder) }
            self?.take(texture, key)
        }
        return nil
    }

    private func take(_ texture: Texture?, _ key: Key) {
        reading.remove(key)
        if let texture { textures[key] = texture } else { missing.insert(key) }
        if texture != nil { whenArrived() }
        guard !missing.isEmpty, look == nil, looks < Self.mostLooks else { return }
        look = Task { [weak self] in
            try? await Task.sleep(for: .seconds(2))
            guard let self else { return }
            look = nil
            looks += 1
            missing = []
            whenArrived()
        }
    }

    private static func hasPicture(_ item: BrowserItem) -> Bool {
        guard item.description.kind == .file, let type = g_content_type_guess(item.name, nil, 0, nil) else {
            return false
        }
        defer { g_free(type) }
        let name = String(cString: type)
        return name.hasPrefix("image/") || name.hasPrefix("video/") || name == "application/pdf"
    }

    private static func cacheFolder() -> String {
        if let home = getenv("PURVEY_HOME") { return String(cString: home) + "/thumbnails/normal" }
        return g_get_user_cache_dir().map { String(cString: $0) + "/thumbnails/normal" } ?? ""
    }

    /// Reads a picture from the cache, as the freedesktop specification of thumbnails defines it. Blocks on the disk.
    private nonisolated static func read(_ key: Key, in folder: String) -> Texture? {
        guard let uri = g_filename_to_uri(key.path, nil, nil) else { return nil }
        defer { g_free(uri) }
        guard let digest = g_compute_checksum_for_string(G_CHECKSUM_MD5, uri, -1) else { return nil }
        defer { g_free(digest) }
        guard let picture = gdk_pixbuf_new_from_file("\(folder)/\(String(cString: digest)).png", nil) else {
            return nil
        }
        defer { g_object_unref(UnsafeMutableRawPointer(picture)) }
        guard let date = gdk_pixbuf_get_option(picture, "tEXt::Thumb::MTime"),
            Int(String(cString: date)) == key.modified,
            let texture = gdk_texture_new_for_pixbuf(picture)
        else { return nil }
        return Texture(owning: texture)
    }
}
