import Glibc

/// GIO's content type guessing, loaded at run time, so that Purvey does not depend on it.
struct GIO: @unchecked Sendable {
    // Sendable: function pointers of a library that is never unloaded; any thread may call g_content_type_guess.
    private typealias GuessFunction =
        @convention(c) (
            UnsafePointer<CChar>?, UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<CInt>?
        ) -> UnsafeMutablePointer<CChar>?
    private typealias FreeFunction = @convention(c) (UnsafeMutableRawPointer?) -> Void

    private let guessFunction: GuessFunction
    private let freeFunction: FreeFunction

    /// Loads the library, or returns `nil` if it is not installed (Debian package `libglib2.0-0`).
    init?() {
        guard let library = dlopen("libgio-2.0.so.0", RTLD_NOW | RTLD_LOCAL),
            let guess = dlsym(library, "g_content_type_guess"), let free = dlsym(library, "g_free")
        else { return nil }
        // The types are those of gio/gcontenttype.h and glib/gmem.h, which have not changed since GLib 2.0.
        guessFunction = unsafeBitCast(guess, to: GuessFunction.self)
        freeFunction = unsafeBitCast(free, to: FreeFunction.self)
    }

    /// Guesses a type and drops it, for measuring time.
    @inline(__always)
    func guess(_ name: UnsafePointer<CChar>?, _ content: UnsafeRawBufferPointer?) {
        freeFunction(call(name, content))
    }

    /// Returns the type that GIO guesses.
    func type(_ name: String?, _ content: UnsafeRawBufferPointer?) -> String {
        let type = name.map { name in name.withCString { call($0, content) } } ?? call(nil, content)
        defer { freeFunction(type) }
        return type.map { String(cString: $0) } ?? ""
    }

    @inline(__always)
    private func call(
        _ name: UnsafePointer<CChar>?, _ content: UnsafeRawBufferPointer?
    ) -> UnsafeMutablePointer<CChar>? {
        var isUncertain: CInt = 0
        let bytes = content?.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return guessFunction(name, bytes, content?.count ?? 0, &isUncertain)
    }
}
