import CSealing
import Secrets

/// Encrypts and authenticates the contents of a file. The file consists of a header that is not encrypted, a nonce, an
/// authentication tag, and the encrypted bytes.
enum Sealing {
    static let keyLength = Int(CSEALING_KEY_LENGTH)
    private static let nonceLength = Int(CSEALING_NONCE_LENGTH)
    private static let tagLength = Int(CSEALING_TAG_LENGTH)

    /// The error for a failure of libcrypto, for example because memory or random numbers were unavailable.
    struct Failed: Error {}

    /// Returns a new random key.
    static func makeKey() throws(Failed) -> SecretBytes {
        try SecretBytes(count: keyLength) { (memory: UnsafeMutableRawBufferPointer) throws(Failed) in
            guard csealing_random(memory.baseAddress, memory.count) == 1 else { throw Failed() }
        }
    }

    /// Encrypts the given bytes, and returns the contents of the file. The nonce is random. This is safe for up to 2³²
    /// files that are encrypted with the same key, and a store writes far fewer.
    static func seal(_ bytes: SecretBytes, header: [UInt8], key: SecretBytes) throws(Failed) -> SecretBytes {
        let start = header.count + nonceLength + tagLength
        return try SecretBytes(count: start + bytes.count) { (file: UnsafeMutableRawBufferPointer) throws(Failed) in
            file.copyBytes(from: header)
            let nonce = UnsafeMutableRawBufferPointer(rebasing: file[header.count...].prefix(nonceLength))
            let tag = UnsafeMutableRawBufferPointer(rebasing: file[..<start].suffix(tagLength))
            let sealed = UnsafeMutableRawBufferPointer(rebasing: file[start...])
            guard key.count == keyLength, csealing_random(nonce.baseAddress, nonce.count) == 1 else { throw Failed() }
            let result = key.withBytes { key in
                bytes.withBytes { bytes in
                    csealing_seal(
                        key.assumingMemoryBound(to: UInt8.self).baseAddress,
                        nonce.assumingMemoryBound(to: UInt8.self).baseAddress, header, header.count,
                        bytes.baseAddress, bytes.count, sealed.baseAddress,
                        tag.assumingMemoryBound(to: UInt8.self).baseAddress)
                }
            }
            guard result == 1 else { throw Failed() }
        }
    }

    /// Decrypts the contents of a file. Returns `nil` if the file is damaged, or was not created by
    /// ``seal(_:header:key:)`` with this header and key.
    static func open(_ file: SecretBytes, header: [UInt8], key: SecretBytes) -> SecretBytes? {
        let start = header.count + nonceLength + tagLength
        let hasHeader = file.withBytes { $0.count >= start && $0.starts(with: header) }
        guard key.count == keyLength, hasHeader else { return nil }
        return try? SecretBytes(count: file.count - start) { (memory: UnsafeMutableRawBufferPointer) throws(Failed) in
            let result = key.withBytes { key in
                file.withBytes { file in
                    let parts = file.assumingMemoryBound(to: UInt8.self).baseAddress
                    return csealing_open(
                        key.assumingMemoryBound(to: UInt8.self).baseAddress, parts.map { $0 + header.count }, header,
                        header.count, parts.map { $0 + start }, file.count - start, memory.baseAddress,
                        parts.map { $0 + header.count + nonceLength })
                }
            }
            guard result == 1 else { throw Failed() }
        }
    }
}
