/// What an extension is made for: its object reads it while it is made.
package enum ExtensionSurroundings {
    /// The domain that an ``NSFileProviderExtension`` made within serves; `nil` for the default one.
    @TaskLocal package static var domain: NSFileProviderDomain?
}
