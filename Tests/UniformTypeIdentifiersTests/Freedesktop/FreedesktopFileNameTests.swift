import Foundation
import Testing
import UniformTypeIdentifiers

/// Types by file name: the patterns that match, and their precedence.
struct FreedesktopFileNameTests {
    private typealias Pattern = MIMECacheBuilder.Pattern

    private func database(
        literals: [MIMECacheBuilder.Pattern] = [], suffixes: [MIMECacheBuilder.Pattern] = [],
        globs: [MIMECacheBuilder.Pattern] = []
    ) throws -> MIMEDatabase {
        try #require(try MIMECacheBuilder(literals: literals, suffixes: suffixes, globs: globs).database())
    }

    @Test func theLongestSuffixCounts() throws {
        let database = try database(suffixes: [
            Pattern(text: ".gz", type: "application/gzip"), Pattern(text: ".tar.gz", type: "application/x-tgz"),
        ])
        #expect(database.types(forFileName: "a.gz") == ["application/gzip"])
        #expect(database.types(forFileName: "a.tar.gz") == ["application/x-tgz"])
        #expect(database.types(forFileName: "tar.gz") == ["application/gzip"])
        #expect(database.types(forFileName: ".tar.gz") == ["application/x-tgz"])
        #expect(database.types(forFileName: "a.tar.gz.bak").isEmpty)
    }

    @Test func aHigherWeightGoesBeforeALongerSuffix() throws {
        let database = try database(suffixes: [
            Pattern(text: ".gz", type: "application/gzip", weight: 80),
            Pattern(text: ".tar.gz", type: "application/x-tgz"),
        ])
        #expect(database.types(forFileName: "a.tar.gz").first == "application/gzip")
    }

    @Test func typesOfOneSuffixComeByWeight() throws {
        let database = try database(suffixes: [
            Pattern(text: ".ts", type: "video/mp2t"),
            Pattern(text: ".ts", type: "text/vnd.trolltech.linguist", weight: 60),
        ])
        #expect(database.types(forFileName: "a.ts") == ["text/vnd.trolltech.linguist", "video/mp2t"])
        #expect(database.types(forExtension: "ts") == ["text/vnd.trolltech.linguist", "video/mp2t"])
    }

    @Test func aLiteralNameGoesBeforeEverythingElse() throws {
        let database = try database(
            literals: [Pattern(text: "cmakelists.txt", type: "text/x-cmake", weight: 10)],
            suffixes: [Pattern(text: ".txt", type: "text/plain", weight: 100)])
        #expect(database.types(forFileName: "CMakeLists.txt") == ["text/x-cmake"])
        #expect(database.types(forFileName: "some/folder/CMakeLists.txt") == ["text/x-cmake"])
        #expect(database.types(forFileName: "xCMakeLists.txt") == ["text/plain"])
    }

    @Test func patternsIgnoreCaseUnlessTheySaySo() throws {
        let database = try database(
            literals: [Pattern(text: "core", type: "application/x-core", isCaseSensitive: true)],
            suffixes: [
                Pattern(text: ".C", type: "text/x-c++src", isCaseSensitive: true),
                Pattern(text: ".c", type: "text/x-csrc", isCaseSensitive: true),
                Pattern(text: ".png", type: "image/png"),
            ])
        #expect(database.types(forFileName: "main.C") == ["text/x-c++src"])
        #expect(database.types(forFileName: "main.c") == ["text/x-csrc"])
        #expect(database.types(forFileName: "MAIN.c") == ["text/x-csrc"])
        #expect(database.types(forFileName: "IMAGE.PNG") == ["image/png"])
        #expect(database.types(forExtension: "pNg") == ["image/png"])
        #expect(database.types(forExtension: "C") == ["text/x-c++src"])
        #expect(database.types(forFileName: "core") == ["application/x-core"])
        #expect(database.types(forFileName: "Core").isEmpty)
    }

    @Test func wildcardsMatchWhereNoSuffixOfTheirWeightDoes() throws {
        let database = try database(
            suffixes: [Pattern(text: ".txt", type: "text/plain"), Pattern(text: ".2", type: "x/two", weight: 40)],
            globs: [
                Pattern(text: "*.so.[0-9]*", type: "application/x-sharedlib", weight: 60),
                Pattern(text: "readme*", type: "text/x-readme", weight: 10),
                Pattern(text: "*.[1-9]", type: "application/x-troff-man"),
            ])
        #expect(database.types(forFileName: "libc.so.6") == ["application/x-sharedlib"])
        #expect(database.types(forFileName: "LIBC.SO.6.1") == ["application/x-sharedlib"])
        #expect(database.types(forFileName: "README") == ["text/x-readme"])
        #expect(database.types(forFileName: "README.txt") == ["text/plain"])
        #expect(database.types(forFileName: "ls.1") == ["application/x-troff-man"])
        #expect(database.types(forFileName: "ls.2").first == "application/x-troff-man")
        #expect(database.types(forFileName: "ls.0").isEmpty)
    }

    @Test func suffixesNeedNotStartWithADotNorBeASCII() throws {
        let database = try database(suffixes: [
            Pattern(text: "~", type: "application/x-trash"), Pattern(text: ",v", type: "text/plain"),
            Pattern(text: ".größe", type: "x/size"),
        ])
        #expect(database.types(forFileName: "a.c~") == ["application/x-trash"])
        #expect(database.types(forFileName: "a.c,v") == ["text/plain"])
        #expect(database.types(forFileName: "ä.größe") == ["x/size"])
        #expect(database.types(forExtension: "größe") == ["x/size"])
    }

    @Test func namesThatSayNothingHaveNoType() throws {
        let database = try database(suffixes: [Pattern(text: ".png", type: "image/png")])
        for name in ["", "/", "a", "png", ".", "a.png/", "a.png.", "a.\0png", String(repeating: "x", count: 5000)] {
            #expect(database.types(forFileName: name).isEmpty, "\(name)")
        }
        #expect(database.types(forExtension: "").isEmpty)
        #expect(database.types(forExtension: ".png").isEmpty)
    }

    @Test func theFolderOfHigherPrecedenceAddsToTheOtherAndCanDeleteFromIt() throws {
        let folder = try TemporaryFolder()
        let user = MIMECacheBuilder(
            literals: [Pattern(text: "__NOGLOBS__", type: "text/x-diff")],
            suffixes: [Pattern(text: ".diff", type: "text/x-diff"), Pattern(text: ".png", type: "image/x-mine")])
        let system = MIMECacheBuilder(suffixes: [
            Pattern(text: ".patch", type: "text/x-diff"), Pattern(text: ".png", type: "image/png"),
            Pattern(text: ".gif", type: "image/gif"),
        ])
        let database = try #require(
            MIMEDatabase(cachePaths: [
                user.write(to: folder, "user"), folder.url.path + "/missing", system.write(to: folder, "system"),
            ]))
        #expect(database.types(forFileName: "a.diff") == ["text/x-diff"])
        #expect(database.types(forFileName: "a.patch").isEmpty)
        #expect(database.types(forFileName: "a.png") == ["image/x-mine", "image/png"])
        #expect(database.types(forFileName: "a.gif") == ["image/gif"])
        #expect(database.types(forFileName: "__NOGLOBS__").isEmpty)
    }

    @Test func extensionsOfATypeComeByWeightWhereNoFileSaysBetter() throws {
        let database = try database(suffixes: [
            Pattern(text: ".b", type: "x/a"), Pattern(text: ".a", type: "x/a"),
            Pattern(text: ".c", type: "x/a", weight: 60),
            Pattern(text: "~", type: "x/a"), Pattern(text: ".d", type: "x/b"),
        ])
        #expect(database.extensions(of: "x/a") == ["c", "a", "b"])
        #expect(database.extensions(of: "x/none").isEmpty)
    }
}
