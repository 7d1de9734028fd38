import Foundation
import Testing
import UniformTypeIdentifiers

extension ProgramsTests {
    @Test func itemsComeBackAsTheyWentIn() async throws {
        let url = try #require(URL(string: "https://example.org"))
        let providers = CodedItems.providers(url, "text")
        var found: [String] = []
        for provider in providers.dropLast() {
            let type = try #require(provider.registeredTypeIdentifiers.first)
            found.append(CodedItems.describe(try await provider.loadItem(forTypeIdentifier: type)))
        }
        #expect(
            found == [
                "url https://example.org", "url https://example.org", "text text", "text text", "data 4",
                #"dictionary ["a"]"#,
            ])
        #expect(providers.last?.registeredTypeIdentifiers == [])
        #expect(CodedItems.describe(nil) == "nothing")
        #expect(CodedItems.describe(UIImage(data: Pixel.png)) == "image 1.0 1.0")
    }

    @Test func aFilesURLArrivesAsDataToo() async throws {
        let file = try TemporaryFile("a.txt", Data("words".utf8))
        let data = NSItemProvider()
        data.registerDataRepresentation(for: .fileURL) { completion in
            completion(file.url.dataRepresentation, nil)
            return nil
        }
        #expect(CodedItems.fileURL(try await data.loadItem(forTypeIdentifier: "public.file-url")) == file.url)
        #expect(CodedItems.fileURL(file.url as NSURL) == file.url)
        #expect(CodedItems.text(file.url as NSURL) == "words")
        #expect(CodedItems.text("a" as NSString) == "a")
        #expect(CodedItems.text(NSAttributedString(string: "b")) == "b")
        #expect(CodedItems.text(Data("c".utf8) as NSData) == "c")
        #expect(CodedItems.text(NSNumber(value: 1)) == nil)
    }

    @Test func anItemThatIsPromisedIsLoadedByASupertype() async throws {
        let provider = CodedItems.promised("later")
        for type in ["public.utf8-plain-text", "public.plain-text", "public.text", "public.data", "public.item"] {
            #expect(try await provider.loadItem(forTypeIdentifier: type) as? String == "later", "\(type)")
        }
        #expect(try await provider.loadObject(ofClass: String.self) == "later")
        do {
            _ = try await provider.loadPreviewImage()
            Issue.record("there is no preview")
        } catch {
            #expect(!CodedItems.isCoercionFailure(error))
        }
        let failure = await withCheckedContinuation { continuation in
            provider.loadItem(forTypeIdentifier: "public.text", as: UIImage.self) { _, error in
                continuation.resume(returning: CodedItems.isCoercionFailure(error))
            }
        }
        #expect(failure)
    }

    @Test func classesOfAnyFormAreWrittenAndRead() async throws {
        let written = WrittenClasses.later("Ada")
        #expect(written.registeredTypeIdentifiers == ["public.vcard", "public.utf8-plain-text"])
        let name = await withCheckedContinuation { continuation in
            WrittenClasses.card(written) { continuation.resume(returning: $0) }
        }
        #expect(name == "Ada")
        #expect(try await written.loadObject(ofClass: Card.self).name == "Ada")
        let draft = NSItemProvider(object: Draft())
        #expect(draft.registeredTypeIdentifiers == ["com.example.draft", "public.utf8-plain-text"])
        #expect(
            try await draft.loadDataRepresentation(forTypeIdentifier: "com.example.draft")
                == Data("com.example.draft".utf8))
        let size = await withCheckedContinuation { continuation in
            WrittenClasses.picture(NSItemProvider(item: Pixel.png as NSData, typeIdentifier: "public.png")) {
                continuation.resume(returning: $0)
            }
        }
        #expect(size == CGSize(width: 1, height: 1))
    }

    @Test func valuesAreTransferredInTheFormThatFits() async throws {
        let sketch = Sketch(title: "House", strokes: [[1, 2], [3]])
        let provider = TransferablePrograms.provider(sketch)
        #expect(provider.registeredTypeIdentifiers.first == "com.example.sketch")
        let loaded = await withCheckedContinuation { continuation in
            _ = TransferablePrograms.load(provider) { continuation.resume(returning: $0) }
        }
        #expect(loaded == sketch)
        #expect(sketch.suggestedFilename == "House.sketch")
        #expect(try await sketch.exported(as: .commaSeparatedText) == Data("1.0,2.0\n3.0".utf8))
        await #expect(throws: (any Error).self) {
            try await Sketch(title: "x", isSecret: true).exported(as: .commaSeparatedText)
        }
        #expect(try await Sketch(importing: Data("Tree".utf8), contentType: .utf8PlainText) == Sketch(title: "Tree"))
        #expect(!provider.registeredTypeIdentifiers.isEmpty)

        let file = try TemporaryFile("f.mp4", Data([1, 2, 3]))
        let film = try await Film(importing: file.url, contentType: .mpeg4Movie)
        defer { try? FileManager.default.removeItem(at: film.url) }
        #expect(film.url != file.url && film.url.lastPathComponent.hasSuffix("f.mp4"))
        #expect(try Data(contentsOf: film.url) == Data([1, 2, 3]))
        #expect(try await Scan(importing: Pixel.png, contentType: .png).exported(as: .png) == Pixel.png)
        await #expect(throws: Scan.ScanError.self) { try await Scan(importing: Data(), contentType: .png) }
    }

    @Test func progressIsObserved() async throws {
        let observer = ProgressObserver()
        let isObserved = DispatchSemaphore(value: 0)
        let provider = NSItemProvider()
        provider.registerDataRepresentation(for: .data) { completion in
            isObserved.wait()
            completion(Data("text".utf8), nil)
            return nil
        }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            observer.load(provider) { _ in
            } finished: {
                continuation.resume()
            }
            isObserved.signal()
        }
        // Fractions in between may be observed as well.
        #expect(observer.fractions.first == 0 && observer.fractions.last == 1)
        #expect(observer.fractions == observer.fractions.sorted())
        observer.stop()
    }

    @Test func errorsGoThroughPointers() throws {
        let missing = URL(fileURLWithPath: "/nonexistent")
        #expect(throws: CocoaError.self) { try ErrorPointers.readOrThrow(missing) }
        #expect(ErrorPointers.readQuietly(missing) == nil)
        let file = try TemporaryFile("a", Data("a".utf8))
        #expect(try ErrorPointers.readOrThrow(file.url) == Data("a".utf8))
        #expect(ErrorPointers.readQuietly(file.url) == Data("a".utf8))
    }
}
