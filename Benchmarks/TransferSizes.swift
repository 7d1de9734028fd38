/// The amounts of data in the sections about servers.
enum TransferSizes {
    /// Whether the option `--small` reduces the amounts.
    private static let isScaledDown = CommandLine.arguments.contains("--small")

    /// The size of the large file in bytes.
    static var large: Int { isScaledDown ? 64 << 20 : 1 << 30 }
    static var largeName: String { isScaledDown ? "64 MiB" : "1 GiB" }
    /// The number of small files.
    static var smallFiles: Int { isScaledDown ? 100 : 1_000 }
    /// The number of entries of a large directory.
    static var entries: Int { isScaledDown ? 1_000 : 10_000 }
}
