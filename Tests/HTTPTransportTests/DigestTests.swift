import FileTesting
import HTTPTransport
import LinuxSystem
import Testing

struct DigestTests {
    @Test(arguments: [
        (MessageDigest.Algorithm.md5, "900150983cd24fb0d6963f7d28e17f72"),
        (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func `a digest is the same from memory, in pieces and from a file`(
        algorithm: MessageDigest.Algorithm, expected: String
    ) throws {
        #expect(try MessageDigest.hexadecimal(algorithm, of: Array("abc".utf8)) == expected)
        var digest = try MessageDigest(algorithm)
        for byte in "abc".utf8 { try withUnsafeBytes(of: byte) { try digest.add($0) } }
        #expect(try digest.finish() == expected)
        let file = try TestFolder().file("file", Array("0abc1".utf8))
        #expect(try MessageDigest.hexadecimal(algorithm, of: file, 1..<4) == expected)
        #expect(throws: HTTPError.fileTooShort) { try MessageDigest.hexadecimal(algorithm, of: file, 0..<6) }
    }
}
