import FileProvider
import Foundation
import Images
import LinuxSystem

/// Small pictures of the folder's own, made one after the other: there is little memory for large ones.
///
/// Sendable: the handlers are the system's, which take calls from any thread, and are called from one.
struct FolderThumbnails: @unchecked Sendable {
    let catalogue: SharedCatalogue
    /// Pixels.
    let side: Int
    /// What the system is told of a failure.
    let error: (FolderFailure) -> any Error
    let each: (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void
    let all: ((any Error)?) -> Void

    /// Larger files are not read for it.
    private static let largestFile = 48 << 20
    /// Nor are pictures of which more bytes would have to be held.
    private static let mostBytes = 64 << 20

    /// Makes them, until the progress is cancelled.
    func make(for identifiers: [NSFileProviderItemIdentifier], _ progress: Progress) {
        for identifier in identifiers {
            if progress.isCancelled { return all(CocoaError(.userCancelled)) }
            do throws(FolderFailure) {
                each(identifier, try picture(of: identifier.rawValue), nil)
            } catch {
                each(identifier, nil, self.error(error))
            }
        }
        all(nil)
    }

    /// `nil` where the file is no picture, or too large a one.
    private func picture(of identifier: String) throws(FolderFailure) -> Data? {
        let (_, file) = try catalogue.opened(identifier)
        // Read and not mapped: whoever cuts the file meanwhile would end this process.
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
