import Testing
import UniformTypeIdentifiers

@Suite struct DeclaredTypeTests {
    @Test func theTablesAreThere() {
        #expect(TypeRow.all.count == 960)
        #expect(TypeRow.all.filter { $0.name != nil }.count == 142)
    }

    @Test func everyRowIsADeclaredTypeWithItsTagsInOrder() throws {
        for row in TypeRow.all {
            let type = try #require(UTType(row.identifier), "\(row.identifier)")
            #expect(type.identifier == row.identifier)
            #expect(type.isDeclared && !type.isDynamic)
            #expect(type.isPublic == row.identifier.hasPrefix("public."))
            #expect(type.tags[.filenameExtension] ?? [] == row.extensions)
            #expect(type.tags[.mimeType] ?? [] == row.mimeTypes)
            #expect(type.preferredFilenameExtension == row.extensions.first)
            #expect(type.preferredMIMEType == (type == .data ? nil : row.mimeTypes.first))
            #expect(type.version == nil && type.referenceURL == nil)
        }
    }

    @Test func everyRowConformsToItsParentsAndTheirParents() throws {
        let parents = Dictionary(uniqueKeysWithValues: TypeRow.all.map { ($0.identifier, $0.parents) })
        let types = try TypeRow.all.map { try #require(UTType($0.identifier)) }
        for (row, type) in zip(TypeRow.all, types) {
            var expected: Set<String> = []
            var pending = row.parents
            while let next = pending.popLast() {
                if expected.insert(next).inserted {
                    pending += parents[next] ?? []
                }
            }
            if row.identifier == "public.geojson" {
                expected = ["public.json", "public.text", "public.data", "public.item", "public.content"]
            }
            #expect(Set(type.supertypes.map(\.identifier)) == expected, "\(row.identifier)")
            let conforming = types.filter { type.conforms(to: $0) }
            #expect(Set(conforming.map(\.identifier)) == expected.union([row.identifier]))
        }
    }

    @Test func aConstantIsFoundByItsName() throws {
        for row in TypeRow.all {
            if let name = row.name {
                #expect(UTType(constant: name)?.identifier == row.identifier)
            }
        }
        #expect(UTType(constant: "nothing") == nil)
    }

    @Test func everyTagLeadsToATypeThatHasIt() throws {
        for row in TypeRow.all {
            for tag in row.extensions {
                let types = UTType.types(tag: tag.uppercased(), tagClass: .filenameExtension, conformingTo: nil)
                #expect(types.contains { $0.identifier == row.identifier }, "\(tag)")
            }
            for tag in row.mimeTypes {
                let types = UTType.types(tag: tag, tagClass: .mimeType, conformingTo: nil)
                #expect(types.contains { $0.identifier == row.identifier }, "\(tag)")
            }
        }
    }

    @Test(arguments: TagOwner.all)
    func aTagMeansTheTypeThatOwnsIt(owner: TagOwner) {
        let declared = owner.identifiers.filter { UTType($0)?.tags[owner.tagClass]?.contains(owner.tag) == true }
        guard !declared.isEmpty else { return }
        let types = UTType.types(tag: owner.tag, tagClass: owner.tagClass, conformingTo: nil).map(\.identifier)
        #expect(types.first == declared.first)
        #expect(Set(types) == Set(declared))
    }
}
