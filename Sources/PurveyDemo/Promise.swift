/// An item that the demonstration's provider offers, as both sides know it.
struct Promise: Sendable {
    /// The item's name, without an extension; also how the consumer finds it on the board.
    let name: String
    /// Best first, as they are registered.
    let representations: [Representation]

    struct Representation: Sendable {
        let type: String
        let form: Form
        let source: Source
    }

    /// What a load handler hands over.
    enum Form: String, Sendable {
        case data
        case copy
        case inPlace = "in place"
    }

    /// What stands behind a representation.
    enum Source: Sendable {
        /// A file of the examples, by its path in their folder.
        case file(String)
        /// A folder of the examples.
        case folder(String)
        /// Bytes that do not exist before someone asks for them; see ``Noise``.
        case noise(size: Int)
    }
}

extension Promise {
    /// What `make run` hands over: an image in two kinds of different fidelity, a text, a folder, and something that is
    /// large enough for its progress to be seen.
    static let all = [
        Promise(
            name: "Ridge",
            representations: [
                Representation(type: "public.png", form: .inPlace, source: .file("Ridge.png")),
                Representation(type: "public.jpeg", form: .data, source: .file("Ridge.jpeg")),
            ]),
        Promise(
            name: "About Purvey",
            representations: [
                Representation(type: "public.utf8-plain-text", form: .copy, source: .file("About Purvey.txt"))
            ]),
        Promise(
            name: "Notebook",
            representations: [Representation(type: "public.folder", form: .inPlace, source: .folder("Notebook"))]),
        Promise(
            name: "Noise",
            representations: [
                Representation(type: "public.data", form: .data, source: .noise(size: 256 << 20))
            ]),
    ]
}
