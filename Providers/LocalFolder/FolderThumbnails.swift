import FileProvider
import Foundation
import Images
import LinuxSystem

/// Thumbnails of the directory's files. They are created one after the other, because the memory does not suffice for
/// several large pictures.
///
/// Sendable: the handlers belong to the system, which permits calls from any thread. They are called from one thread.
struct FolderThumbnails: @unchecked Sendable {
    let catalogue: SharedCatalogue
    /// The largest width and height, in pixels.
    let side: Int
    /// Converts a failure to the error for the system.
    let error: (FolderError) -> any Error
    let each: (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void
    let all: ((any Error)?) -> Void

    /// The maximum size in bytes of a file that is read for a thumbnail.
    private static let largestFile = 48 << 20
    /// The maximum number of bytes of a decoded picture.
    private static let mostBytes = 64 << 20

    /// Creates thumbnails of the given items, one by one, until the progress is cancelled.
    func make(for identifiers: [NSFileProviderItemIdentifier], _ progress: Progress) {
        for identifier in identifiers {
            if progress.isCancelled { return all(CocoaError(.userCancelled)) }
            do throws(FolderError) {
                each(identifier, try picture(of: identifier.rawValue), nil)
            } catch {
                each(identifier, nil, self.error(error))
            }
        }
        all(nil)
    }

    /// Returns the thumbnail of a file, or `nil` if the file is no picture, or too large.
    private func picture(of identifier: String) throws(FolderError) -> Data? {
        let (_, file) = try catalogue.opened(identifier)
        // The file is read rather than mapped, because this process would be killed if another process truncated a
        // mapped file.
        guard let status = try? file.status(), status.kind == .regular, status.size <= Self.largestFile,
            let data = try? Self.bytes(of: file, count: Int(status.size))
        else { return nil }
        do throws(ImageError) {
            let header = try ImageCodec.header(of: data)
            guard header.wholeSize <= Self.mostBytes else { return nil }
            return try ImageCodec.thumbnail(
                data, width: side, height: side, as: header.format == .jpeg ? .jpeg : .png)
        } catch .unavailable(let reason) {
            throw .unavailable(reason)
        } catch {
            return nil
        }
    }

    private static func bytes(of file: FileDescriptor, count: Int) throws -> Data {
        var data = Data(count: count)
        let read = try data.withUnsafeMutableBytes { bytes throws in try file.fill(bytes, at: 0) }
        return data.prefix(read)
    }
}
