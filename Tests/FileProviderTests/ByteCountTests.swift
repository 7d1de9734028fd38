import DomainMessages
import FileProvider
import Testing

/// Numbers of bytes as users write them.
@Suite struct ByteCountTests {
    @Test(
        arguments: [
            ("0", 0), ("1", 1), ("1000", 1000), ("1K", 1024), ("2k", 2048), ("1.5G", 3 << 29), ("10GiB", 10 << 30),
            ("3MB", 3 << 20), ("1T", 1 << 40), ("12B", 12),
        ] as [(String, Int64)])
    func sizesAreRead(_ text: String, _ bytes: Int64) {
        #expect(ByteCount.read(text) == bytes)
    }

    @Test(arguments: [
        "", "G", "B", "iB", "-1", "+1", "1e9", "0x10", "1 G", "1GG", "1P", "nan", "inf", ".", "1.2.3", "99999999999T",
        "１G",
    ])
    func malformedSizesAreRefused(_ text: String) {
        #expect(ByteCount.read(text) == nil)
    }

    @Test(
        arguments: [
            (0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"), (10 << 30, "10 GiB"),
            ((1 << 30) - 1, "1023.9 MiB"), (3 << 40, "3 TiB"),
        ] as [(Int64, String)])
    func sizesAreWritten(_ bytes: Int64, _ text: String) {
        #expect(ByteCount.text(bytes) == text)
    }
}
