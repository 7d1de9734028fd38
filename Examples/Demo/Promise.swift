/// An item that the demonstration's provider offers. Both sides know it.
struct Promise: Sendable {
    /// The item's name, without an extension. The consumer finds the item on the board by it.
    let name: String
    /// The representations in the order of registration, best first.
    let representations: [Representation]

    struct Representation: Sendable {
        let type: String
        let form: Form
        let source: Source
    }

    /// The form in which a load handler provides the item, or in which it arrives.
    enum Form: String, Sendable {
        case data
        case copy
        case inPlace = "in place"
    }

    /// The origin of a representation.
    enum Source: Sendable {
        /// A file of the examples, by its path in their directory.
        case file(String)
        /// A directory of the examples.
        case folder(String)
        /// Bytes that are generated on request; see ``Noise``.
        case noise(size: Int)
    }
}

extension Promise {
    /// The promises of `make run`: an image in two representations of different fidelity, a text, a directory, and
    /// data that is large enough to show progress.
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
