import AppExtension
import Conduit
import Exchange
import ExtensionHost
import FileProvider
import FileProviderWire
import LinuxSystem

/// The programs that own file providers. A program owns a provider if the provider's identifier begins with the
/// identifier of the program's registered bundle and a dot.
struct ProviderPrograms: Sendable {
    let bundles: BundleRegistry
    let data: String

    /// Returns the identifiers of the file providers of the program at the other end of a connection. Blocks on the
    /// disk.
    ///
    /// - Throws: `providerNotFound` if the program has none.
    private func providers(of connection: Connection) throws(ProviderError) -> [String] {
        guard let executable = try? connection.peer.executable().identity,
            let bundle = bundles.bundle(ofExecutable: executable)
        else {
            throw .noProvider("The program belongs to no registered bundle; 'purvey bundles register' registers one.")
        }
        let own = ExtensionLibrary(data: data).all.filter { provider in
            provider.point == ExtensionBundle.providerPoint && provider.identifier.hasPrefix(bundle.identifier + ".")
        }
        guard !own.isEmpty else {
            throw .noProvider(
                "No file provider is installed whose identifier begins with that of the program, \(bundle.identifier).")
        }
        return own.map(\.identifier)
    }

    /// Returns the same as ``providers(of:)``. Reads the disk on a thread that may block.
    func providers(ofProgramAt connection: Connection) async throws(ProviderError) -> [String] {
        try await HandlerThreads.shared.value { () throws(ProviderError) in try providers(of: connection) }
    }
}

extension ProviderError {
    fileprivate static func noProvider(_ message: String) -> ProviderError {
        ProviderError(
            .unsupported, message: message, domain: NSFileProviderErrorDomain,
            code: NSFileProviderError.Code.providerNotFound.rawValue)
    }
}
