/// The context in which an extension's object is made. The object reads it during initialization.
package enum ExtensionSurroundings {
    /// The domain of an ``NSFileProviderExtension`` that is made within the task; `nil` for the default one.
    @TaskLocal package static var domain: NSFileProviderDomain?
}
