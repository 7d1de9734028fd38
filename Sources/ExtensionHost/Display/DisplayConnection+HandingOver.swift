import LinuxSystem

extension DisplayConnection {
    /// What a process gets with the connection.
    struct HandedOver {
        let descriptors: [FileDescriptor]
        /// `NAME=value` each.
        let variables: [String]
    }

    /// Prepares it for a confined process, which reaches nothing else by it.
    ///
    /// - Parameters:
    ///   - number: that of the first descriptor in the process.
    ///   - container: the process's own folder.
    ///   - confinement: made wider, by as little as it takes.
    func handedOver(from number: Int, in container: Container, _ confinement: inout Confinement) throws -> HandedOver {
        // What the system has found out about its fonts: finding that out takes seconds.
        confinement.paths.append(("/var/cache/fontconfig", .read))
        switch kind {
        case .wayland:
            return HandedOver(
                descriptors: [socket],
                variables: Self.toolkit + [
                    "GDK_BACKEND=wayland", "\(HandedDisplay.waylandKey)=\(number)",
                    // GTK asks for no display without it.
                    "XDG_RUNTIME_DIR=\(container.temporary)",
                ])
        case .x11:
            // The last one, because the system gives the first ones that are free.
            let localSocket = CInt(clamping: confinement.descriptors) - 1
            confinement.localSocket = localSocket
            let authority = try authorityFile()
            return HandedOver(
                descriptors: [socket, authority],
                variables: Self.toolkit + [
                    "GDK_BACKEND=x11", "DISPLAY=\(name)", "XAUTHORITY=/proc/self/fd/\(number + 1)",
                    "\(HandedDisplay.environmentKey)=\(number),\(localSocket)",
                ])
        }
    }

    private func authorityFile() throws -> FileDescriptor {
        let file = try MemoryFile.create(name: "purvey-display")
        try authority.withUnsafeBytes { try file.writeAll($0) }
        try MemoryFile.seal(file)
        return file
    }

    /// For GTK: no message bus, which the process does not reach, and drawing without the graphics card's devices.
    private static let toolkit = [
        "DBUS_SESSION_BUS_ADDRESS=disabled:", "GDK_DEBUG=gl-disable,vulkan-disable", "GIO_USE_VFS=local",
        "GSETTINGS_BACKEND=memory", "GSK_RENDERER=cairo", "GTK_A11Y=none", "GTK_USE_PORTAL=0", "NO_AT_BRIDGE=1",
    ]
}
