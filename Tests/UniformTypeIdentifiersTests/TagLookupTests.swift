import Testing
import UniformTypeIdentifiers

@Suite struct TagLookupTests {
    @Test(arguments: [
        ("mp4", "public.mpeg-4"), ("plist", "com.apple.property-list"), ("app", "com.apple.application-file"),
        ("pkg", "com.apple.installer-package-archive"), ("pkpass", "com.apple.pkpass-data"), ("jpg", "public.jpeg"),
        ("JPEG", "public.jpeg"), ("Swift", "public.swift-source"), ("c++", "public.c-plus-plus-source"),
        ("shutdownstall", "com.apple.shutdownstall"), ("geojson", "public.geojson"),
        ("ts", "public.mpeg-2-transport-stream"), ("doc", "com.microsoft.word.doc"),
        ("docx", "org.openxmlformats.wordprocessingml.document"), ("xlsx", "org.openxmlformats.spreadsheetml.sheet"),
        ("pptx", "org.openxmlformats.presentationml.presentation"), ("flac", "org.xiph.flac"),
        ("webm", "org.webmproject.webm"), ("md", "net.daringfireball.markdown"), ("iso", "public.iso-image"),
        ("7z", "org.7-zip.7-zip-archive"), ("cr2", "com.canon.cr2-raw-image"), ("eml", "com.apple.mail.email"),
        ("tif", "public.tiff"), ("key", "com.apple.iwork.keynote.sffkey"), ("xml", "public.xml"),
        ("usda", "com.pixar.universal-scene-description-utf8"),
    ])
    func anExtensionMeansTheTypeThatApplesSystemsGive(ext: String, identifier: String) {
        #expect(UTType(filenameExtension: ext)?.identifier == identifier)
    }

    @Test(arguments: [
        ("image/png", "public.png"), ("IMAGE/JPG", "public.jpeg"), ("text/plain", "public.plain-text"),
        ("text/plain;charset=utf-8", "public.utf8-plain-text"), ("text/plain; charset=UTF-8", "public.utf8-plain-text"),
        ("text/html; charset=utf-8", "public.html"), ("application/octet-stream", "public.data"),
        ("application/x-msdownload", "com.microsoft.windows-executable"), ("audio/3gpp", "public.3gpp"),
        // MIME types that the freedesktop database has as aliases, or as types that the system declares without a
        // MIME type.
        ("image/pjpeg", "public.jpeg"), ("application/x-pdf", "com.adobe.pdf"), ("text/x-csrc", "public.c-source"),
        ("application/x-compressed-tar", "org.gnu.gnu-zip-tar-archive"), ("audio/x-flac", "org.xiph.flac"),
        ("application/x-cd-image", "public.iso-image"), ("image/x-nikon-nef", "com.nikon.raw-image"),
        // Types that the system declares although others define them.
        ("application/msword", "com.microsoft.word.doc"), ("application/vnd.ms-excel", "com.microsoft.excel.xls"),
        ("application/vnd.ms-powerpoint", "com.microsoft.powerpoint.ppt"), ("audio/flac", "org.xiph.flac"),
        (
            "application/vnd.ms-word.document.macroEnabled.12",
            "org.openxmlformats.wordprocessingml.document.macroenabled"
        ),
        ("video/webm", "org.webmproject.webm"), ("audio/webm", "org.webmproject.webm"),
        ("application/vnd.oasis.opendocument.text", "org.oasis-open.opendocument.text"),
        ("text/markdown", "net.daringfireball.markdown"), ("message/rfc822", "com.apple.mail.email"),
    ])
    func aMIMETypeMeansTheDeclaredType(mime: String, identifier: String) {
        #expect(UTType(mimeType: mime)?.identifier == identifier)
    }

    @Test func theSupertypeChoosesBetweenTypes() {
        #expect(UTType(filenameExtension: "mp4", conformingTo: .audio) == .mpeg4Audio)
        #expect(UTType(filenameExtension: "app", conformingTo: .package) == .applicationBundle)
        #expect(UTType(filenameExtension: "plist", conformingTo: .xml) == .xmlPropertyList)
        #expect(UTType(filenameExtension: "rtfd", conformingTo: .package) == .rtfd)
        #expect(UTType(tag: "rtfd", tagClass: .filenameExtension, conformingTo: nil) == .rtfd)
        #expect(UTType(filenameExtension: "rtfd")?.isDynamic == true)
    }

    @Test func allTypesOfATagComeInOrderAndOnce() {
        let all = UTType.types(tag: "plist", tagClass: .filenameExtension, conformingTo: nil).map(\.identifier)
        #expect(
            all == [
                "com.apple.property-list", "com.apple.xml-property-list", "com.apple.binary-property-list",
                "com.apple.ascii-property-list",
            ])
        #expect(UTType.types(tag: "plist", tagClass: .filenameExtension, conformingTo: .xml) == [.xmlPropertyList])
        let unknown = UTType.types(tag: "nobodyknows", tagClass: .filenameExtension, conformingTo: .package)
        #expect(unknown.count == 1 && unknown[0].isDynamic && unknown[0].conforms(to: .package))
        #expect(UTType.types(tag: "a/b", tagClass: .filenameExtension, conformingTo: nil) == [])
        #expect(UTType.types(tag: "image", tagClass: .mimeType, conformingTo: nil) == [])
    }

    @Test func anUnknownExtensionIsADynamicTypeThatConformsToTheSupertype() throws {
        let data = try #require(UTType(filenameExtension: "NobodyKnows"))
        #expect(data.isDynamic && !data.isDeclared && !data.isPublic)
        #expect(data.conforms(to: .data) && data.conforms(to: .item) && !data.conforms(to: .image))
        #expect(data.tags == [.filenameExtension: ["nobodyknows"]])
        #expect(data.preferredFilenameExtension == "nobodyknows" && data.preferredMIMEType == nil)
        #expect(data.localizedDescription == nil && data.version == nil && data.referenceURL == nil)
        let package = try #require(UTType(filenameExtension: "nobodyknows", conformingTo: .package))
        #expect(package.conforms(to: .package) && package.conforms(to: .directory) && !package.conforms(to: .data))
        #expect(package != data)
        #expect(try UTType(#require(UTType(filenameExtension: "nobodyknows")).identifier) == data)
        #expect(data.supertypes == [.data, .item])
        // With a film's extension for a picture, only the requested supertype holds.
        let odd = try #require(UTType(filenameExtension: "mov", conformingTo: .image))
        #expect(odd.isDynamic && odd.conforms(to: .image) && !odd.conforms(to: .movie))
    }

    @Test(arguments: ["image", "", "/", "image/", "/png", "a/b/c", "text/pl ain/x", "image png/x", "a\u{0}/b", "é/b"])
    func malformedMIMETypesHaveNoType(mime: String) {
        #expect(UTType(mimeType: mime) == nil)
    }

    @Test(arguments: ["a/b", "/", "a\u{0}", "\u{0}", "a\nb", "\u{7F}"])
    func malformedExtensionsHaveNoType(ext: String) {
        #expect(UTType(filenameExtension: ext) == nil)
        #expect(UTType(tag: ext, tagClass: .filenameExtension, conformingTo: nil) == nil)
    }

    @Test(arguments: ["", ".jpg", "tar gz", "Ж", "🙂", "a.b", String(repeating: "x", count: 300)])
    func anOddExtensionIsStillADynamicType(ext: String) {
        #expect(UTType(filenameExtension: ext)?.isDynamic == true)
    }

    @Test func otherTagClassesTakeAnyTag() {
        let type = UTType(tag: "My Type", tagClass: UTTagClass(rawValue: "com.example.class"), conformingTo: .text)
        #expect(type?.tags == [UTTagClass(rawValue: "com.example.class"): ["My Type"]])
        #expect(type?.conforms(to: .text) == true)
        #expect(UTType(tag: "x", tagClass: UTTagClass(rawValue: ""), conformingTo: nil) == nil)
    }

    @Test func identifiersAreFoundInAnyCaseWithTheDeclaredSpelling() {
        #expect(UTType("PUBLIC.Jpeg") == .jpeg)
        #expect(UTType("com.apple.ShutdownStall")?.identifier == "com.apple.shutdownstall")
        #expect(UTType("com.apple.ICNS")?.identifier == "com.apple.icns")
        #expect(UTType("com.example.nothing") == nil)
        #expect(UTType("") == nil)
        // A type that programs declare, but not the system.
        #expect(UTType("org.matroska.mkv") == nil)
    }

    @Test func dataHasAMIMETypeThatIsNotPreferred() {
        #expect(UTType(mimeType: "application/octet-stream") == .data)
        #expect(UTType.data.preferredMIMEType == nil)
        #expect(UTType("PUBLIC.DATA")?.preferredMIMEType == nil)
        #expect(UTType.data.tags[.mimeType] == ["application/octet-stream"])
    }
}
