import Foundation
import LinuxSystem
import ProgramTesting

/// The bundles of the file providers that come with Purvey.
package enum ProviderBundle {
    /// Assembles the bundle of a built provider, as `make install` does.
    ///
    /// - Parameters:
    ///   - name: The name of a directory in `Providers`, which is also the name of its program.
    ///   - folder: The directory in which the bundle is created.
    /// - Returns: The path of the bundle.
    package static func make(_ name: String, in folder: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let products = (try BuiltProgram.path(name) as NSString).deletingLastPathComponent
        // A process of its own copies the program: a file that this one has open for writing cannot be executed while
        // any fork has the descriptor.
        let copy = try ChildProgram.start(
            root + "/Scripts/assemble-extension", arguments: ["\(root)/Providers/\(name)", products, folder],
            descriptors: [])
        guard try copy.wait() == .exited(0) else { throw BuiltProgram.Missing(name: name) }
        return "\(folder)/\(name).appex"
    }
}
