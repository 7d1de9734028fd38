import FileTesting
import Testing
import UniformTypeIdentifiers

/// Payloads and identifiers seen on Apple's systems.
private let vectors: [(payload: String, identifier: String)] = [
    ("1=", "dyn.age8u"),
    ("1=go", "dyn.age80s52"),
    ("1=rs", "dyn.age81e62"),
    ("1=ogg", "dyn.age80835h"),
    ("1=excel", "dyn.age80n8ddqz0a"),
    ("1=download", "dyn.age80k551r30g82pe"),
    ("1=pluginpayloadattachment", "dyn.age81a5dzq7y066dbtf0g82peqf4hk2pdrb00n5xy"),
    ("2=", "dyn.agk8u"),
    ("2=itun", "dyn.agk80w7dzr2"),
    ("2=ALAW", "dyn.agk8ycxcbn6"),
    ("2=OBJD", "dyn.agk8y8uwnku"),
    ("2=ƒpd1", "dyn.agk86rexuqu2u"),
    ("3=application/mp4", "dyn.agq80c6durvy0g2pyrf106p5rsa4a"),
    ("?0=6:1=rs", "dyn.ah62d4rv4ge81e62"),
    ("?0=6:1=sql", "dyn.ah62d4rv4ge81g6pq"),
    ("?0=6:1=dev", "dyn.ah62d4rv4ge80k3p0"),
    ("?0=6:1=aim", "dyn.ah62d4rv4ge80c4pr"),
    ("?0=6:1=tmp", "dyn.ah62d4rv4ge81k5pu"),
    ("?0=6:1=azw3", "dyn.ah62d4rv4ge80c8x1gq"),
    ("?0=6:1=gradle", "dyn.ah62d4rv4ge80s6xbqv0gn"),
    ("?0=6:1=imfits", "dyn.ah62d4rv4ge80w5pgrf4hg"),
    ("?0=8:1=rs", "dyn.ah62d4sb4ge81e62"),
    ("?0=B:1=mov", "dyn.ah62d4uv4ge804550"),
    ("?0=10:1=kext", "dyn.ah62d4qmuhk2x445ftb4a"),
    ("?0=10:1=download", "dyn.ah62d4qmuhk2x43dts71g255bqu"),
    ("?0=13:1=sql", "dyn.ah62d4qmxhk2x465vru"),
    ("?0=6:2=XMSS", "dyn.ah62d4rv4gk8zuxnxnq"),
    ("?0=6:2=ustl", "dyn.ah62d4rv4gk81n65yru"),
    ("?0=6:4=NSFilenamesPboardType", "dyn.ah62d4rv4gu8y6y4grf0gn5xbrzw1gydcr7u1e3cytf2gn"),
    ("?0=6:4=NSPromiseContentsPboardType", "dyn.ah62d4rv4gu8y6y4usm1044pxqzb085xyqz1hk64uqm10c6xenv61a3k"),
    ("?0=6:4=Apple URL pasteboard type", "dyn.ah62d4rv4gu8yc6durvwwaznwmuuha2pxsvw0e55bsmwca7d3sbwu"),
    (
        "?0=6:4=Apple files promise pasteboard type",
        "dyn.ah62d4rv4gu8yc6durvwwa3xmrvw1gkdusm1044pxqyuha2pxsvw0e55bsmwca7d3sbwu"
    ),
    ("?0=6:4=NeXT smart paste pasteboard type", "dyn.ah62d4rv4gu8y63n2nuuhg5pbsm4ca6dbsr4gnkduqf31k3pcr7u1e3basv61a3k"),
    (
        "?0=public.item:1=nxtypedfilecontentspboardtype\\:jpg",
        "dyn.ah62d46dzqm0gw23srf4gn5m4ge8068dytf2gn3dgrf0gn25tr34gn5xysr2ge55bsmwhk8puqzsdy4xuq6"
    ),
    (
        "?0=public.audiovisual-content:3=audio/mpegurl",
        "dyn.ah62d46dzqm0gw23sqf40k4pts3y1g7pbru00g55ssvw067b4gq80c7perf1w85puqzx1n6xq"
    ),
    ("?0=public.unix-executable:1=fits", "dyn.ah62d46dzqm0gw23ssz1gw8brqz6gn25zsvu0e5dfhk2x43xmsv3u"),
]

@Suite struct DynamicIdentifierTests {
    @Test func everyVectorIsEncoded() throws {
        for (payload, identifier) in vectors {
            let parsed = try #require(DynamicIdentifier(payload: payload), "\(payload)")
            #expect(parsed.payload == payload)
            #expect(parsed.encoded() == identifier)
        }
    }

    @Test func everyVectorIsDecoded() throws {
        for (payload, identifier) in vectors {
            let parsed = try #require(DynamicIdentifier(identifier), "\(identifier)")
            #expect(parsed.payload == payload)
            let type = try #require(UTType(identifier))
            #expect(type.identifier == identifier)
            #expect(type.isDynamic && !type.isDeclared && !type.isPublic)
            #expect(type.version == nil && type.referenceURL == nil)
            #expect(type.tags == [UTTagClass(rawValue: parsed.tagClass): [parsed.tag]])
            for parent in parsed.parents.compactMap({ UTType($0) }) {
                #expect(type.conforms(to: parent) && type.isSubtype(of: parent))
                #expect(type.supertypes.isSuperset(of: parent.supertypes.union([parent])))
            }
        }
    }

    @Test func theInterfaceMakesEveryVectorFromItsTag() throws {
        for (payload, identifier) in vectors {
            let parsed = try #require(DynamicIdentifier(payload: payload))
            let parents = parsed.parents.map { UTType($0) }
            // The parent of code 13 is unknown. A kernel extension is a declared package.
            if parents.contains(nil) || parsed.tag == "kext" { continue }
            let type = UTType(
                tag: parsed.tag, tagClass: UTTagClass(rawValue: parsed.tagClass), conformingTo: parents.first ?? nil)
            #expect(type?.identifier == identifier, "\(payload)")
        }
    }

    @Test(arguments: [
        // Remaining bits that are not zero, or text that is not UTF-8, as seen on Apple's systems.
        "dyn.ah62d4rv4ge81k3p2su11zzz", "dyn.ah62d46rv4ge81a3dhq", "dyn.agk8",
        // No payload, another version, letters outside the alphabet, a superfluous letter.
        "dyn.", "dyn.a", "dyn.bge8u", "dyn.age8i", "dyn.age8u!", "dyn.age80835ha", "dyn.age80s52é",
    ])
    func aMalformedIdentifierIsNoType(identifier: String) {
        #expect(DynamicIdentifier(identifier) == nil)
        #expect(UTType(identifier) == nil)
    }

    @Test(arguments: [
        "", "?", "?0=6", "1", "=go", "?1=go", "0=6:1=go", "?0=:1=go", "?0=6,:1=go", "?0=6:0=7:1=go", "1=a:1=b",
        "1=a:3=b/c", "1=a=b", "1=a,b", "1=a\\", "1=\\a", "?1=go:0=6", ":1=go",
    ])
    func aMalformedPayloadIsNoType(payload: String) {
        #expect(DynamicIdentifier(payload: payload) == nil)
        var identifier = Array(DynamicIdentifier.prefix.utf8)
        Base32.encode(Array(payload.utf8), into: &identifier)
        #expect(UTType(String(decoding: identifier, as: UTF8.self)) == nil)
    }

    @Test func aTagThatIsNoTagMakesNoType() {
        // Well-formed in every other way, but it must not bring a slash into a file name.
        let evil = DynamicIdentifier(parents: ["public.data"], tagClass: "public.filename-extension", tag: "../x")
        #expect(DynamicIdentifier(evil.encoded()) == evil)
        #expect(UTType(evil.encoded()) == nil)
    }

    @Test func anyTagComesBackFromItsIdentifier() throws {
        var random = RandomNumbers(seed: 20_240_607)
        let characters = Array("abcxyz019 .:=,\\?-_ÄéßøØ漢字🙂\u{301}")
        let classes = ["public.filename-extension", "com.apple.ostype", "public.mime-type", "com.example.other:=,\\"]
        let types = ["public.data", "public.item", "com.apple.package", "13", "com.example.a,b:c=d"]
        for _ in 0..<20_000 {
            let tag = String(
                (0..<Int.random(in: 0...24, using: &random)).compactMap { _ in
                    characters.randomElement(using: &random)
                })
            let parents = types.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))
            let payload = try DynamicIdentifier(
                parents: Array(parents), tagClass: #require(classes.randomElement(using: &random)), tag: tag)
            let identifier = payload.encoded()
            let decoded = try #require(DynamicIdentifier(identifier), "\(payload)")
            #expect(decoded == payload)
            #expect(decoded.encoded() == identifier)
        }
    }

    @Test func randomTextDoesNotCrashTheDecoder() {
        var random = RandomNumbers(seed: 7)
        let alphabet = Array("abcdefghkmnpqrstuvwxyz0123456789".unicodeScalars)
        for _ in 0..<50_000 {
            let length = Int.random(in: 0...40, using: &random)
            var text = String.UnicodeScalarView()
            for _ in 0..<length {
                text.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
            }
            let identifier = "dyn.a" + String(text)
            if let decoded = DynamicIdentifier(identifier) {
                // An accepted identifier can be encoded and decoded again.
                #expect(DynamicIdentifier(decoded.encoded()) == decoded)
            }
        }
    }
}
