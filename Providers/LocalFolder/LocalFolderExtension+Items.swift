import FileProvider
import Foundation
import LinuxSystem

/// Converts items and errors to the form that the system reads.
extension LocalFolderExtension {
    /// Returns a catalogue's item in the form that the system reads.
    func item(_ item: CatalogueItem) -> any NSFileProviderItem { items([item])[0] }

    /// Returns a catalogue's items in the form that the system reads.
    func items(_ items: [CatalogueItem]) -> [any NSFileProviderItem] {
        // The catalogue is open already, because the items came from it.
        let catalogue = try? catalogue()
        let (stamp, marks) =
            (try? catalogue?.perform { ($0.stamp, try $0.marks(of: items.map(\.number))) }) ?? ("", [:])
        func identifier(_ number: Int64) -> String { Catalogue.identifier(of: number, stamp: stamp) }
        let types = FilenameTypes()
        let failures = unsent.errors
        // Most items of a page have the same directory.
        var parent = (number: CatalogueItem.root, identifier: identifier(CatalogueItem.root))
        return items.map { item in
            let known = identifier(item.number)
            let failure = failures[known]
            let item = failure.flatMap { _ in catalogue.map { copies.edited(item, known, $0) } } ?? item
            if item.parent != parent.number { parent = (item.parent, identifier(item.parent)) }
            return LocalFolderItem(
                item, marks[item.number] ?? CatalogueMarks(), root: displayName, unsent: failure.map { error($0) },
                types: types, identifier: known, parent: parent.identifier)
        }
    }

    /// Returns a failure as an error that the system knows.
    func error(_ error: any Error) -> any Error {
        guard let failure = error as? FolderError else { return error }
        let words = [NSLocalizedDescriptionKey: failure.description]
        switch failure {
        case .noSuchItem: return NSFileProviderError(.noSuchItem, userInfo: words)
        case .taken(let other): return NSError.fileProviderErrorForCollision(with: item(other))
        // The error is that of a removed disk. An error of an unreachable server would be wrong, because there is no
        // server.
        case .unavailable: return NSError(domain: NSPOSIXErrorDomain, code: Int(ENODEV), userInfo: words)
        case .busy, .outdated, .catalogue: return NSFileProviderError(.serverUnreachable, userInfo: words)
        case .badName: return CocoaError(.fileWriteInvalidFileName, userInfo: words)
        case .wrongKind: return CocoaError(.featureUnsupported, userInfo: words)
        case .system(.noSpace): return CocoaError(.fileWriteOutOfSpace, userInfo: words)
        case .system(.quotaExceeded): return NSFileProviderError(.insufficientQuota, userInfo: words)
        case .system(.notEmpty): return NSFileProviderError(.directoryNotEmpty, userInfo: words)
        case .system(.permissionDenied), .system(.notPermitted), .system(Errno(rawValue: EROFS)):
            return CocoaError(.fileWriteNoPermission, userInfo: words)
        case .system(let number):
            return NSError(domain: NSPOSIXErrorDomain, code: Int(number.rawValue), userInfo: words)
        }
    }
}
