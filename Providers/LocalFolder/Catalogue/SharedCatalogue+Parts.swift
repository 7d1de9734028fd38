import Foundation
import LinuxSystem

extension SharedCatalogue {
    /// Copies a byte range of a file to the same offsets of a new file.
    ///
    /// - Parameters:
    ///   - alignment: a power of two. The bounds of the copied range are multiples of it, except at the end of the
    ///     file.
    ///   - version: the version that the contents must have; `nil` accepts every version.
    /// - Returns: the item, and the copied range.
    /// - Throws: ``FolderError/busy`` if the contents have another version, or the file has changed since the item was
    ///   read.
    package func copyPart(
        _ wanted: NSRange, alignment: Int, of identifier: String, version: [UInt8]?, to path: String
    ) throws(FolderError) -> (CatalogueItem, NSRange) {
        let (item, source) = try opened(identifier)
        do {
            let status = try source.status()
            // As for the whole file, the opened file must be the one that the item describes.
            guard version == nil || version == item.contentVersion,
                status.kind == .regular, item.facts.describe(status)
            else { throw FolderError.busy }
            let size = status.size
            let mask = max(1, alignment) - 1
            let start = min(size, max(0, wanted.location) & ~mask)
            let (last, isTooFar) = max(0, wanted.location).addingReportingOverflow(max(0, wanted.length))
            let end = isTooFar || last > size - mask ? size : (last + mask) & ~mask
            let range = start..<max(start, end)
            let file = try FileDescriptor.open(path, [.writeOnly, .create, .exclusive])
            try file.truncate(to: range.upperBound)
            try FileCopier.copyRange(range, of: source, to: file, named: item.filename, movesPosition: true)
            return (item, NSRange(location: range.lowerBound, length: range.count))
        } catch {
            throw FolderError(error)
        }
    }
}
