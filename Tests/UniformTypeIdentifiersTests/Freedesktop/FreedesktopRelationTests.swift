import Foundation
import Testing
import UniformTypeIdentifiers

/// Aliases, parents, descriptions, and the locations of the database.
struct FreedesktopRelationTests {
    @Test func anAliasStandsForItsType() throws {
        let builder = MIMECacheBuilder(
            aliases: ["audio/x-midi": "audio/midi", "a/1": "a/2", "a/2": "a/1"],
            parents: ["x/a": ["audio/x-midi"]])
        let database = try #require(try builder.database())
        #expect(database.canonical("audio/x-midi") == "audio/midi")
        #expect(database.canonical("audio/midi") == "audio/midi")
        #expect(database.canonical("x/unknown") == "x/unknown")
        #expect(database.parents(of: "x/a") == ["audio/midi"])
        // A cycle of aliases must end, with any result.
        #expect(database.canonical("a/1").hasPrefix("a/"))
    }

    @Test func parentsAreTheDeclaredOnesThenTheImpliedOnes() throws {
        let builder = MIMECacheBuilder(
            parents: [
                "image/svg+xml": ["application/xml"], "text/html": ["text/plain"], "text/x-xsl": ["application/xml"],
                "inode/mount-point": ["inode/directory"], "x/self": ["x/self"], "x/loop1": ["x/loop2"],
                "x/loop2": ["x/loop1"],
            ])
        let database = try #require(try builder.database())
        #expect(database.parents(of: "image/svg+xml") == ["application/xml"])
        #expect(database.parents(of: "text/html") == ["text/plain"])
        #expect(database.parents(of: "text/x-xsl") == ["application/xml", "text/plain"])
        #expect(database.parents(of: "text/plain") == ["application/octet-stream"])
        #expect(database.parents(of: "text/x-unknown") == ["text/plain"])
        #expect(database.parents(of: "image/x-unknown") == ["application/octet-stream"])
        #expect(database.parents(of: "application/octet-stream").isEmpty)
        #expect(database.parents(of: "inode/mount-point") == ["inode/directory"])
        #expect(database.parents(of: "inode/unknown").isEmpty)
        #expect(database.parents(of: "x/self") == ["application/octet-stream"])
    }

    @Test func typesThatAreTheirOwnParentsAreOnlyAskedOnce() throws {
        let builder = MIMECacheBuilder(
            parents: ["x/loop1": ["x/loop2"], "x/loop2": ["x/loop1"]],
            suffixes: [.init(text: ".a", type: "x/loop1"), .init(text: ".a", type: "x/other")],
            rules: [
                .init(type: "x/unrelated", matchlets: [.init("!")]), .init(type: "x/loop2", matchlets: [.init("?")]),
            ])
        let database = try #require(try builder.database())
        let guess = { (content: String) in
            Array(content.utf8).withUnsafeBytes { database.guess(fileName: "f.a", content: $0) }
        }
        #expect(guess("!") == "x/loop1")
        #expect(guess("?") == "x/loop1")
    }

    @Test func aTypesFileSaysWhatItIsCalledAndWhichExtensionComesFirst() throws {
        let folder = try TemporaryFolder()
        _ = try folder.folder("text")
        _ = try folder.file(
            "text/x-tex.xml",
            """
            <?xml version="1.0" encoding="utf-8"?>
            <mime-type xmlns="http://www.freedesktop.org/standards/shared-mime-info" type="text/x-tex">
              <comment xml:lang="de">TeX-Dokument</comment>
              <comment>TeX &amp; friends &lt;&#223;></comment>
              <glob pattern="*.tex"/><glob weight="60" pattern='*.ltx'/><glob pattern="tex*"/><glob pattern="*.[x]"/>
            </mime-type>
            """)
        _ = try folder.file("secret.xml", "<comment>secret</comment>")
        let builder = MIMECacheBuilder(
            aliases: ["x/tex": "text/x-tex"], suffixes: [.init(text: ".other", type: "text/x-tex")])
        let database = try #require(MIMEDatabase(cachePaths: [builder.write(to: folder)]))
        #expect(database.description(of: "text/x-tex") == "TeX & friends <&#223;>")
        #expect(database.description(of: "x/tex") == "TeX & friends <&#223;>")
        #expect(database.extensions(of: "text/x-tex") == ["tex", "ltx"])
        #expect(database.description(of: "x/none") == nil)
        for name in ["text/../secret", "../secret", "text/", "/secret", "text/x-tex.xml/..", "secret", "a/b/c"] {
            #expect(database.description(of: name) == nil, "\(name)")
        }
    }

    @Test func theDataDirectoriesAreThoseOfTheBaseDirectorySpecification() {
        func directories(_ environment: [String: String]) -> [String] {
            MIMEDatabase.dataDirectories { environment[$0] }
        }
        #expect(directories(["HOME": "/h"]) == ["/h/.local/share", "/usr/local/share", "/usr/share"])
        #expect(directories([:]) == ["/usr/local/share", "/usr/share"])
        #expect(
            directories(["HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_DATA_DIRS": "/a::relative:/b:/a"]) == [
                "/d", "/a", "/b",
            ])
        #expect(directories(["XDG_DATA_HOME": "", "XDG_DATA_DIRS": ""]) == ["/usr/local/share", "/usr/share"])
    }
}
