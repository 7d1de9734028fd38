import LinuxSystem

extension MemoryFile {
    /// Creates a sealed memory file that contains the given bytes.
    package static func sealed(_ bytes: [UInt8]) throws(Errno) -> FileDescriptor {
        try sealed(name: "test") { file throws(Errno) in
            let failure: Errno? = bytes.withUnsafeBytes { bytes in
                do throws(Errno) {
                    try file.writeAll(bytes)
                    return nil
                } catch {
                    return error
                }
            }
            if let failure { throw failure }
        }
    }
}
