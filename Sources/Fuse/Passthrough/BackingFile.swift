import CFuse
package import LinuxSystem

/// A file that the kernel reads, writes and maps instead of a file of a mounted file system.
///
/// The kernel keeps the file open while handles use it. Retain this object for as long as new handles may use the file.
public final class BackingFile: Sendable {
    /// The kernel's identifier of the backing file, valid until the session ends or this object is released.
    public let identifier: Int32
    private let registrar: any BackingRegistrar

    package init(_ identifier: Int32, _ registrar: any BackingRegistrar) {
        self.identifier = identifier
        self.registrar = registrar
    }

    deinit { registrar.close(identifier) }
}

/// A connection to the kernel for registering backing files. The kernel permits this only with a privilege.
package protocol BackingRegistrar: Sendable {
    func open(_ file: FileDescriptor) throws(Errno) -> Int32
    /// Unregisters a file. Must not block on another process, because the last reference to a file may be released on
    /// any thread.
    func close(_ identifier: Int32)
}

/// A registrar that uses the privilege of this process, which needs `CAP_SYS_ADMIN`.
struct OwnRegistrar: BackingRegistrar {
    let device: FileDescriptor

    func open(_ file: FileDescriptor) throws(Errno) -> Int32 {
        try retrying { cfuse_backing_open(device.rawValue, file.rawValue) }
    }

    func close(_ identifier: Int32) {
        // Fails after the end of the session, which has closed all backing files.
        _ = cfuse_backing_close(device.rawValue, identifier)
    }
}
