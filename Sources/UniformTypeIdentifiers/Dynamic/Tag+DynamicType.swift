extension Tag {
    /// The type of a tag that no declared type has.
    func undeclaredType(conformingTo supertype: UTType?) -> UTType {
        UTType(
            dynamic: DynamicIdentifier(
                parents: supertype.map { [$0.identifier] } ?? [], tagClass: tagClass.rawValue, tag: text))
    }
}
