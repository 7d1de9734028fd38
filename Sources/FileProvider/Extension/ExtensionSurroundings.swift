/// The context in which an extension's object is created. The object's initializer reads it.
package enum ExtensionSurroundings {
    /// The domain of an ``NSFileProviderExtension`` that is created within the task; `nil` for the default domain.
    @TaskLocal package static var domain: NSFileProviderDomain?
}
