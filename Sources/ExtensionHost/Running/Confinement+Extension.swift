import AppExtension
import LinuxSystem
import Sandbox

extension Confinement {
    /// Creates the confinement of an extension. The extension can access its own directory and its container, the
    /// system's libraries and data, and those of the user's files that the daemon makes accessible to it.
    ///
    /// - Parameters:
    ///   - data: The directory of Purvey's data for this user.
    ///   - hostLibraries: The directories of the Swift libraries of the process that starts the extension,
    ///     ``SwiftLibraries/ofThisProcess``.
    init(
        of bundle: ExtensionBundle, in container: Container, scopes: ScopeFolder, data: String, hostLibraries: [String]
    ) {
        self.init(workingFolder: container.path)
        network = bundle.usesNetwork
        memory = UInt64(bundle.memoryLimit)
        descriptors = Self.mostDescriptors
        paths = [
            (bundle.path, .read),
            // The process may execute no other file on the disk, except for the loader, which the kernel runs for the
            // program.
            (bundle.executable, [.read, .execute]),
            (container.path, [.read, .write]),
            (scopes.path(for: .reading), .read), (scopes.path(for: .changing), [.read, .change]),
            ("/usr", .read), ("/lib", .read), ("/lib64", .read),
            ("/sys/devices/system/cpu", .read), ("/proc/meminfo", .read), ("/proc/cpuinfo", .read),
            ("/proc/stat", .read), ("/proc/sys/vm/overcommit_memory", .read),
            ("/dev/null", [.read, .write]), ("/dev/zero", .read), ("/dev/urandom", .read), ("/dev/random", .read),
        ]
        paths += Self.loaders
        paths += Self.systemSettings.map { ("/etc/" + $0, .read) }
        paths += hostLibraries.map { ($0, .read) }
        // The extension's libraries may be outside the directories of the host's libraries, for example if the host was
        // built on another machine, or contains Swift's libraries itself.
        let libraries = SwiftLibraries(reachable: ["/usr", "/lib", "/lib64", bundle.path] + hostLibraries, data: data)
        paths += libraries.files(of: bundle.executable).map { ($0, [.read, .withoutLinks]) }
        if network { paths.append(("/run/systemd/resolve", .read)) }
    }

    /// The files and directories in `/etc` that libraries read: the loader's cache, names of hosts and services,
    /// certificates, time zone, types, fonts. The list does not include the user database, the machine's identifier or
    /// private keys.
    private static let systemSettings = [
        "alternatives", "ca-certificates.conf", "crypto-policies", "debian_version", "fonts", "gai.conf", "gtk-3.0",
        "gtk-4.0", "host.conf", "hosts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias", "localtime",
        "lsb-release", "magic", "magic.mime", "mime.types", "nsswitch.conf", "os-release", "pki/ca-trust",
        "pki/tls/certs", "protocols", "resolv.conf", "services", "ssl/certs", "ssl/openssl.cnf", "timezone",
    ]

    /// The dynamic loaders, and the access to them. A loader loads the libraries of a confined program.
    static let loaders: [(path: String, access: Access)] = [
        ("/lib64/ld-linux-x86-64.so.2", [.read, .execute]), ("/lib/ld-linux-aarch64.so.1", [.read, .execute]),
    ]

    /// The maximum number of open descriptors of an extension. The extension can have the same number of descriptors in
    /// flight: sent, and not received yet. The kernel counts the descriptors in flight of all of the user's processes
    /// together. While there are more than 1024, programs with the usual limit cannot send descriptors (unix(7),
    /// `ETOOMANYREFS`). Nevertheless, the maximum is higher than 1024 if this process's own limit permits, because
    /// sharing hundreds of files requires more descriptors.
    static let mostDescriptors = min(ResourceLimit.descriptors.most ?? .max, 4096)
}

/// Describes how extensions are confined on this system.
package enum ExtensionConfinement {
    /// Returns sentences about the limits of extensions that this system is unable to enforce; an empty array if it
    /// enforces all limits. The first call blocks on the system.
    ///
    /// - Parameter domains: The names of the domains whose providers serve a local directory of the user.
    package static func weaknesses(handedTo domains: [String]) -> [String] {
        var weaknesses = Layers.missing
        if ControlGroup.delegated?.controllers.contains("memory") != true {
            weaknesses.append(
                "no control group is delegated: the memory of extensions is checked ten times a second only, "
                    + "and kernel memory for pipes, locks, files in flight and the like is not counted")
        }
        // If the system permits no root directories at all, the sentences above apply to these providers, too.
        if !domains.isEmpty, Layers.permitsRootDirectories, !hasRootDirectory(whereHanded: .wanted) {
            weaknesses.append(
                "a directory of this machine is served by \(domains.joined(separator: ", ")): such a provider has no "
                    + "root directory of its own, can tell which files and processes exist, "
                    + (Layers.wanted.usedLandlock < 3 ? "can empty files that it may read, " : "")
                    + "and can read extended attributes of other files")
        }
        return weaknesses
    }

    /// Whether a process that serves a local directory of the user gets a separate root directory.
    ///
    /// In a separate root directory, the process would still see the local directory after the user has moved or
    /// replaced it, and a disk after it was unmounted. Therefore the process gets no separate root directory if the
    /// kernel supports Landlock. Landlock alone then protects the user's other files from the process.
    static func hasRootDirectory(whereHanded layers: Layers) -> Bool { layers.usedLandlock == 0 }
}
