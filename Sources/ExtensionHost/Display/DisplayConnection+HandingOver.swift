import LinuxSystem
import Sandbox

extension DisplayConnection {
    /// The descriptors and environment variables through which a process can use the display connection.
    struct HandedOver {
        let descriptors: [FileDescriptor]
        /// The variables, each as `NAME=value`.
        let variables: [String]
    }

    /// Prepares the connection for use by a confined process. The process gets no access beyond what the connection
    /// needs.
    ///
    /// - Parameters:
    ///   - number: The number that the first of the descriptors has in the process.
    ///   - container: The process's own container.
    ///   - confinement: The confinement of the process. Access to the files that the connection needs is added to it.
    func handedOver(from number: Int, in container: Container, _ confinement: inout Confinement) throws -> HandedOver {
        // Permits access to the system's font cache, which takes seconds to rebuild.
        confinement.paths.append(("/var/cache/fontconfig", .read))
        switch kind {
        case .wayland:
            return HandedOver(
                descriptors: [socket],
                variables: Self.toolkit + [
                    "GDK_BACKEND=wayland", "\(PassedDisplay.waylandKey)=\(number)",
                    // GTK opens no display without this variable.
                    "XDG_RUNTIME_DIR=\(container.temporary)",
                ])
        case .x11:
            // The local socket gets the highest number, because the kernel gives every other descriptor the lowest free
            // number.
            let localSocket = CInt(clamping: confinement.descriptors) - 1
            confinement.localSocket = localSocket
            let authority = try authorityFile()
            return HandedOver(
                descriptors: [socket, authority],
                variables: Self.toolkit + [
                    "GDK_BACKEND=x11", "DISPLAY=\(name)", "XAUTHORITY=/proc/self/fd/\(number + 1)",
                    "\(PassedDisplay.environmentKey)=\(number),\(localSocket)",
                ])
        }
    }

    private func authorityFile() throws -> FileDescriptor {
        let file = try MemoryFile.create(name: "purvey-display")
        try authority.withUnsafeBytes { try file.writeAll($0) }
        try MemoryFile.seal(file)
        return file
    }

    /// Environment variables for GTK. They disable the message bus, which the process cannot access, and rendering with
    /// the graphics card, whose devices it cannot access.
    private static let toolkit = [
        "DBUS_SESSION_BUS_ADDRESS=disabled:", "GDK_DEBUG=gl-disable,vulkan-disable", "GIO_USE_VFS=local",
        "GSETTINGS_BACKEND=memory", "GSK_RENDERER=cairo", "GTK_A11Y=none", "GTK_USE_PORTAL=0", "NO_AT_BRIDGE=1",
    ]
}
