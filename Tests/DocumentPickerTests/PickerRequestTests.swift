import DocumentPicker
import Testing

/// Tests of requests to the picker program, which travel on its command line.
@Suite struct PickerRequestTests {
    @Test func aRequestIsReadAsItWasWritten() throws {
        var everything = PickerRequest(.filesAndFolders)
        everything.allowsMultiple = true
        everything.types = ["public.image", "com.adobe.pdf"]
        everything.title = "--title"
        everything.prompt = "Attach"
        everything.message = "Which?\nAll of them."
        everything.place = "-odd:path"
        everything.isHandedOver = true
        everything.endsWithNull = true
        let requests = [
            everything, PickerRequest(.files), PickerRequest(.folders), PickerRequest(.save(name: "--name")),
            PickerRequest(.browse(newDocument: "New")), PickerRequest(.browse(newDocument: nil)),
        ]
        for request in requests { #expect(try PickerRequest(arguments: request.arguments) == request) }
    }

    @Test(arguments: [
        ["--choose", "--type"], ["--save"], ["--save", "a/b"], ["--save", ""], ["--save", "a", "--folders"],
        ["--choose", "--unknown"], ["--choose", "one", "two"], ["--choose", "--", "one", "two"], ["choose"], [],
    ]) func aWrongCommandLineIsRefused(_ arguments: [String]) {
        #expect(throws: PickerRequest.ArgumentError.self) { try PickerRequest(arguments: arguments) }
    }
}
