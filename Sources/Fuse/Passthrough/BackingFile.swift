import CFuse
package import LinuxSystem

/// A file that the kernel reads, writes and maps in the place of one of a mounted file system's.
///
/// The kernel has its own hold on the file for as long as openings use it; this object is needed for further openings.
public final class BackingFile: Sendable {
    /// What the kernel calls it, for as long as the session lasts and this object lives.
    public let identifier: Int32
    private let registrar: any BackingRegistrar

    package init(_ identifier: Int32, _ registrar: any BackingRegistrar) {
        self.identifier = identifier
        self.registrar = registrar
    }

    deinit { registrar.close(identifier) }
}

/// Who tells the kernel of backing files, which takes a privilege.
package protocol BackingRegistrar: Sendable {
    func open(_ file: FileDescriptor) throws(Errno) -> Int32
    /// Waits for no other process: the last reference to a file may go on any thread.
    func close(_ identifier: Int32)
}

/// The process itself, where it has `CAP_SYS_ADMIN`.
struct OwnRegistrar: BackingRegistrar {
    let device: FileDescriptor

    func open(_ file: FileDescriptor) throws(Errno) -> Int32 {
        try retrying { cfuse_backing_open(device.rawValue, file.rawValue) }
    }

    func close(_ identifier: Int32) {
        // Fails after the end of the session, with which all of them went.
        _ = cfuse_backing_close(device.rawValue, identifier)
    }
}
