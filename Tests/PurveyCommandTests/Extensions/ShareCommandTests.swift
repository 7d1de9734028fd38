import Foundation
import Glibc
import Images
import ProgramTesting
import Testing

/// Tests of `purvey share` with real, confined extensions, through a running daemon.
@Suite struct ShareCommandTests {
    /// Installs a bundle with a program that was built beside the tests.
    private func install(
        _ program: String, _ place: CommandFixture, principal: String, rule: Any = "TRUEPREDICATE",
        more: [String: Any] = [:]
    ) async throws {
        let bundle = place.path(program + ".appex")
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        var values: [String: Any] = [
            "NSExtensionPointIdentifier": "com.apple.ui-services",
            "NSExtensionPrincipalClass": "$(PRODUCT_MODULE_NAME).\(principal)",
            "NSExtensionAttributes": ["NSExtensionActivationRule": rule],
            // The limit suffices on a busy machine.
            "PurveyTimeLimit": 600,
        ]
        values.merge(more) { $1 }
        let list: [String: Any] = [
            "CFBundleIdentifier": "org.example.\(program)", "CFBundleName": program, "CFBundleExecutable": program,
            "NSExtension": values,
        ]
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: bundle + "/Info.plist"))
        try FileManager.default.linkItem(atPath: BuiltProgram.path(program), toPath: "\(bundle)/\(program)")
        let outcome = try await place.purvey("extensions", "install", bundle)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    private func installThumbnail(_ place: CommandFixture) async throws {
        try await install(
            "ThumbnailAction", place, principal: "ThumbnailRequestHandler",
            rule: ["NSExtensionActivationSupportsImageWithMaxCount": 1])
    }

    private var ridge: String { FileManager.default.currentDirectoryPath + "/Examples/Ridge.png" }

    @Test func aPictureBecomesAThumbnailInAnotherProcess() async throws {
        try await CommandFixture.run { place in
            try await installThumbnail(place)
            let kept = try await place.purvey(
                "share", ridge, "--with", "org.example.ThumbnailAction", "-o", place.path(""))
            #expect(kept.status == 0, "\(kept.errors)")
            #expect(kept.text.hasPrefix("A thumbnail of 256 by 160 pixels\nRidge thumbnail  public.png  "))
            let file = try Data(contentsOf: URL(fileURLWithPath: place.path("Ridge thumbnail.png")))
            #expect(file.starts(with: [0x89] + Array("PNG".utf8)))
            let json = try await place.purvey("share", ridge, "--with", "ThumbnailAction", "--json")
            let items = try JSONSerialization.jsonObject(with: json.output) as? [[String: Any]]
            let attachment = (items?.first?["attachments"] as? [[String: Any]])?.first
            #expect(attachment?["size"] as? Int == file.count)
        }
    }

    @Test func aPictureOfACameraIsReadInTheConfinedProcess() async throws {
        try await CommandFixture.run { place in
            try await installThumbnail(place)
            let pixels = Data(repeating: 120, count: 600 * 300 * 4)
            let heic = try ImageCodec.encode(pixels, width: 600, height: 300, as: .heif)
            try heic.write(to: URL(fileURLWithPath: place.path("photo.heic")))
            let outcome = try await place.purvey("share", "photo.heic", "--with", "ThumbnailAction")
            #expect(
                outcome.text.hasPrefix("A thumbnail of 256 by 128 pixels\nphoto thumbnail  public.png"),
                "\(outcome.errors)")
        }
    }

    @Test func aFolderIsCopiedIntoTheConfinedProcess() async throws {
        try await CommandFixture.run { place in
            try await install("ExtensionPeer", place, principal: "Principal")
            try FileManager.default.createDirectory(
                atPath: place.path("Folder/inner"), withIntermediateDirectories: true)
            try place.write("a", to: "Folder/a.txt")
            try place.write("b", to: "Folder/inner/b.txt")
            let outcome = try await place.purvey("share", "Folder", "--with", "ExtensionPeer")
            #expect(outcome.text == "folder: a.txt inner inner/b.txt\n", "\(outcome.errors)")
        }
    }

    @Test func anExtensionThatCannotBeStartedIsAnError() async throws {
        try await CommandFixture.run { place in
            try await install("FileAway", place, principal: "FileAwayRequestHandler")
            #expect(try await place.purvey("share", ridge, "--with", "FileAway").status == 0)
            // The extension itself could replace its directory so.
            let temporary = place.home + "/data/containers/org.example.FileAway/tmp"
            try FileManager.default.removeItem(atPath: temporary)
            try FileManager.default.createSymbolicLink(atPath: temporary, withDestinationPath: "/tmp")
            let outcome = try await place.purvey("share", ridge, "--with", "FileAway")
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("tmp in its container"), "\(outcome.errors)")
        }
    }

    @Test func anExtensionThatEndsAtOnceIsAnErrorWithWhatItSaidLast() async throws {
        try await CommandFixture.run { place in
            try await install("ExtensionPeer", place, principal: "Nobody")
            let outcome = try await place.purvey("share", ridge, "--with", "ExtensionPeer")
            #expect(outcome.status == 1)
            #expect(
                outcome.errors.contains("exit status 1; it said last: the program has no class"), "\(outcome.errors)")
        }
    }

    @Test(arguments: [false, true])
    func aRefusedConnectionNamesTheKeyThatPermitsIt(isAllowed: Bool) async throws {
        try await CommandFixture.run { place in
            try await install(
                "ExtensionPeer", place, principal: "Principal", more: ["PurveyAllowsNetwork": isAllowed])
            try place.write("text", to: "file.txt")
            let outcome = try await place.purvey("share", "file.txt", "--with", "ExtensionPeer")
            #expect(outcome.status == 1)
            #expect(
                outcome.errors.contains("The extension is refused the network: PurveyAllowsNetwork is not set")
                    == !isAllowed, "\(outcome.errors)")
        }
    }

    @Test func filesReturnedByAnExtensionReplaceNothing() async throws {
        try await CommandFixture.run { place in
            try await installThumbnail(place)
            try FileManager.default.createDirectory(
                atPath: place.path("kept"), withIntermediateDirectories: false)
            let mine = try place.write("mine", to: "kept/Ridge thumbnail.png")
            for number in 2...3 {
                let outcome = try await place.purvey(
                    "share", ridge, "--with", "ThumbnailAction", "-o", place.path("kept"))
                #expect(outcome.text.contains("kept/Ridge thumbnail \(number).png"), "\(outcome.text)")
            }
            #expect(try String(contentsOfFile: mine, encoding: .utf8) == "mine")
            // The extension chooses the name, which must not make a hidden file either.
            try FileManager.default.copyItem(atPath: ridge, toPath: place.path(".hidden.png"))
            let hidden = try await place.purvey(
                "share", place.path(".hidden.png"), "--with", "ThumbnailAction", "-o", place.path("kept"))
            #expect(hidden.status == 0, "\(hidden.errors)")
            let names = try FileManager.default.contentsOfDirectory(atPath: place.path("kept")).sorted()
            #expect(names.count == 4 && !names.contains { $0.hasPrefix(".") }, "\(names)")
        }
    }

    @Test func aFolderThatIsMissingIsAnErrorBeforeTheExtensionIsRun() async throws {
        try await CommandFixture.run { place in
            try await install("FileAway", place, principal: "FileAwayRequestHandler")
            let folder = place.path("nowhere")
            let outcome = try await place.purvey("share", ridge, "--with", "FileAway", "-o", folder)
            #expect(outcome.status == 1 && outcome.text.isEmpty)
            #expect(outcome.errors == "purvey: share: \(folder): No such file or directory\n")
            let container = place.home + "/data/containers/org.example.FileAway"
            #expect(!FileManager.default.fileExists(atPath: container))
        }
    }

    @Test func aPreviewOfALargePictureTakesLittleMemory() async throws {
        try await CommandFixture.run { place in
            try await install(
                "ThumbnailAction", place, principal: "ThumbnailRequestHandler", more: ["PurveyMemoryLimit": 128])
            // The picture needs 192 MB when it is decoded whole; an allocation beyond the limit fails.
            let large = try ImageCodec.encode(Data(count: 8000 * 8000 * 4), width: 8000, height: 8000, as: .jpeg)
            try large.write(to: URL(fileURLWithPath: place.path("large.jpg")))
            let outcome = try await place.purvey("share", "large.jpg", "--with", "ThumbnailAction")
            #expect(outcome.text.hasPrefix("A thumbnail of 256 by 256 pixels"), "\(outcome.errors)")
            // A WebP picture is decoded whole. The message must report the lack of memory, not a damaged picture.
            let whole = try ImageCodec.encode(Data(count: 8000 * 8000 * 4), width: 8000, height: 8000, as: .webp)
            try whole.write(to: URL(fileURLWithPath: place.path("large.webp")))
            let failed = try await place.purvey("share", "large.webp", "--with", "ThumbnailAction")
            #expect(failed.status == 1)
            #expect(failed.errors.contains("not enough memory for the webp picture"), "\(failed.errors)")
        }
    }

    @Test func aLargeFileIsFiledPieceByPiece() async throws {
        try await CommandFixture.run { place in
            try await install(
                "FileAway", place, principal: "FileAwayRequestHandler", more: ["PurveyMemoryLimit": 128])
            try place.write("%PDF-1.7\n", to: "large.pdf")
            truncate(place.path("large.pdf"), 300 << 20)
            let outcome = try await place.purvey("share", "large.pdf", "--with", "FileAway")
            #expect(outcome.text == "Filed: large.pdf\n", "\(outcome.errors)")
            let filed = place.home + "/data/containers/org.example.FileAway/Documents/large.pdf"
            #expect(try FileManager.default.attributesOfItem(atPath: filed)[.size] as? Int == 300 << 20)
        }
    }

    @Test func extensionsThatAreBrokenAreNamedBesideTheList() async throws {
        try await CommandFixture.run { place in
            try await installThumbnail(place)
            try await install("FileAway", place, principal: "FileAwayRequestHandler")
            try FileManager.default.removeItem(
                atPath: place.home + "/data/extensions/org.example.FileAway.appex/FileAway")
            let list = try await place.purvey("share", ridge, "--list")
            #expect(list.status == 0 && list.text == "org.example.ThumbnailAction  ThumbnailAction\n")
            #expect(list.errors.hasPrefix("purvey: share: org.example.FileAway.appex: "), "\(list.errors)")
        }
    }

    @Test func onlyExtensionsThatAcceptTheFilesAreListed() async throws {
        try await CommandFixture.run { place in
            try await installThumbnail(place)
            let text = try place.write("text", to: "a.txt")
            #expect(
                try await place.purvey("share", ridge, "--list").text
                    == "org.example.ThumbnailAction  ThumbnailAction\n")
            #expect(try await place.purvey("share", text, "--list").text.isEmpty)
            #expect(try await place.purvey("share", ridge, ridge, "--list", "--json").text.contains("["))
            let refused = try await place.purvey("share", text, "--with", "ThumbnailAction")
            #expect(refused.status == 1)
            #expect(refused.errors.contains("does not accept"))
            #expect(try await place.purvey("share", ridge, "--with", "Nobody").status == 1)
            #expect(try await place.purvey("share", ridge).status == 2)
            #expect(try await place.purvey("share", "--list").status == 2)
        }
    }

    @Test func aPictureThatLiesIsAnErrorAndTheNextOneIsServed() async throws {
        try await CommandFixture.run { place in
            try await installThumbnail(place)
            let liar = try place.write("no picture", to: "liar.png")
            let failed = try await place.purvey("share", liar, "--with", "ThumbnailAction")
            #expect(failed.status == 1)
            #expect(failed.errors.split(separator: "\n").count == 1, "\(failed.errors)")
            #expect(try await place.purvey("share", ridge, "--with", "ThumbnailAction").status == 0)
        }
    }

    @Test func moreFilesThanAProcessHasDescriptorsAreAllFiled() async throws {
        try await CommandFixture.run { place in
            try await install("FileAway", place, principal: "FileAwayRequestHandler")
            let script = """
                ulimit -n 1024; mkdir many; for i in $(seq 700); do echo "$i" >many/$i.txt; done
                "$purvey" share many/*.txt --with FileAway >said; echo $?
                """
            let outcome = try await place.shell(script)
            #expect(outcome.text == "0\n", "\(outcome.errors)")
            let refused = try place.read("said").split(separator: "\n").filter { $0.contains("not filed") }
            #expect(refused.isEmpty, "\(refused.count): \(refused.first ?? "")")
            let container = place.home + "/data/containers/org.example.FileAway"
            #expect(try FileManager.default.contentsOfDirectory(atPath: container + "/Documents").count == 700)
            try await nothingIsLeftOfLoads(in: container)
        }
    }

    @Test func nothingOfAFolderThatWasHandedOverIsLeftInTheContainer() async throws {
        try await CommandFixture.run { place in
            try await install("ExtensionPeer", place, principal: "Principal")
            for number in 0..<200 {
                try FileManager.default.createDirectory(
                    atPath: place.path("Folder/\(number)"), withIntermediateDirectories: true)
                try place.write("\(number)", to: "Folder/\(number)/file.txt")
            }
            let outcome = try await place.purvey("share", "Folder", "--with", "ExtensionPeer")
            #expect(outcome.text.hasPrefix("folder: "), "\(outcome.errors)")
            try await nothingIsLeftOfLoads(in: place.home + "/data/containers/org.example.ExtensionPeer")
        }
    }

    /// Waits until the daemon has removed the loads, which it does when the extension has ended, after the reply.
    private func nothingIsLeftOfLoads(in container: String) async throws {
        let loads = container + "/Library/purvey/loads"
        for _ in 0..<30_000 where try !FileManager.default.contentsOfDirectory(atPath: loads).isEmpty {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: loads).isEmpty)
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func anExtensionEndsWithTheDaemonAndItsCallerIsTold(signal: Int32) async throws {
        try await CommandFixture.run { place in
            // The extension speaks no protocol at all, and never replies.
            try await install("UnrulyExtension", place, principal: "Nobody", more: ["PurveyTimeLimit": 600])
            let script = """
                "$purvey" share '\(ridge)' --with UnrulyExtension 2>errors & share=$!
                process=
                until [ -n "$process" ]; do
                    for entry in /proc/[0-9]*; do
                        case $(readlink $entry/exe) in
                        "$PURVEY_HOME"/data/extensions/*/UnrulyExtension) process=${entry#/proc/} ;;
                        esac
                    done
                done
                daemon=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$process/status)
                kill -\(signal) $daemon; wait $share; echo $?
                while [ -e /proc/$process ]; do sleep 0.02; done
                """
            let outcome = try await place.shell(script)
            #expect(outcome.text == "1\n", "\(outcome.errors)")
            #expect(try place.read("errors").hasPrefix("purvey: share: org.example.UnrulyExtension: "))
        }
    }

    @Test func anExtensionThatDoesNotAnswerIsEndedAndNamed() async throws {
        try await CommandFixture.run { place in
            // The extension speaks no protocol at all.
            try await install("UnrulyExtension", place, principal: "Nobody", more: ["PurveyTimeLimit": 1])
            let outcome = try await place.purvey("share", ridge, "--with", "UnrulyExtension")
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("did not answer within 1 second"), "\(outcome.errors)")
            try await installThumbnail(place)
            #expect(try await place.purvey("share", ridge, "--with", "ThumbnailAction").status == 0)
        }
    }

    @Test func filesAreFiledIntoTheExtensionsContainerAndNowhereElse() async throws {
        try await CommandFixture.run { place in
            try await install("FileAway", place, principal: "FileAwayRequestHandler")
            let text = try place.write("text", to: "a.txt")
            let outcome = try await place.purvey("share", ridge, text, "--with", "FileAway")
            #expect(outcome.text == "Filed: Ridge.png, a.txt\n", "\(outcome.errors)")
            let documents = place.home + "/data/containers/org.example.FileAway/Documents"
            #expect(try FileManager.default.contentsOfDirectory(atPath: documents).sorted() == ["Ridge.png", "a.txt"])
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: documents + "/Ridge.png"))
                    == Data(contentsOf: URL(fileURLWithPath: ridge)))
            // Files of the same name stand beside the first, and none is hidden.
            try place.write("other", to: "a.txt")
            let hidden = try place.write("hidden", to: ".b.txt")
            let again = try await place.purvey("share", text, hidden, "--with", "FileAway")
            #expect(again.text == "Filed: _b.txt, a 2.txt\n", "\(again.errors)")
            #expect(try String(contentsOfFile: documents + "/a.txt", encoding: .utf8) == "text")
            #expect(try String(contentsOfFile: documents + "/a 2.txt", encoding: .utf8) == "other")
        }
    }
}
