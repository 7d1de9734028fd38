import Testing
import UniformTypeIdentifiers

@Suite struct DeclaredTypeTests {
    @Test func theTablesAreThere() {
        #expect(TypeRow.all.count == 684)
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
            #expect(type.preferredMIMEType == row.mimeTypes.first)
            #expect(type.version == nil && type.referenceURL == nil)
        }
    }

    @Test func everyRowConformsToItsParentsAndTheirParents() throws {
        let parents = Dictionary(uniqueKeysWithValues: TypeRow.all.map { ($0.identifier, $0.parents) })
        for row in TypeRow.all {
            let type = try #require(UTType(row.identifier))
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
            for other in TypeRow.all {
                let conforms = try type.conforms(to: #require(UTType(other.identifier)))
                #expect(conforms == (other.identifier == row.identifier || expected.contains(other.identifier)))
            }
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
}
