import Foundation
import FoundationAdditions
import Testing

@Suite struct ObjectTableTests {
    private final class Thing: NSObject {
        let number: Int
        init(_ number: Int) { self.number = number }
        override func isEqual(_ object: Any?) -> Bool { (object as? Thing)?.number == number }
        override var hash: Int { number }
    }

    /// An object that does not derive from `NSObject`.
    private final class Plain {}

    @Test func equalObjectsAreOneUnlessTheyAreToldApartByWhatTheyAre() {
        let (one, other) = (Thing(1), Thing(1))
        let table = NSHashTable<Thing>()
        table.add(one)
        table.add(other)
        #expect(table.count == 1 && table.member(other) === one && table.contains(Thing(1)))
        let apart = NSHashTable<Thing>(options: .objectPointerPersonality)
        apart.add(one)
        apart.add(other)
        apart.add(one)
        #expect(apart.count == 2 && !apart.contains(Thing(1)))
        apart.remove(one)
        #expect(apart.allObjects.map { $0 === other } == [true])
        apart.removeAllObjects()
        #expect(apart.anyObject == nil)
    }

    @Test func aTableThatDoesNotKeepItsObjectsForgetsThoseThatWent() {
        let table = NSHashTable<Plain>.weakObjects()
        let kept = Plain()
        table.add(kept)
        for _ in 0..<1000 { table.add(Plain()) }
        #expect(table.count == 1 && table.contains(kept) && table.anyObject === kept)
        table.remove(nil)
        table.add(nil)
        #expect(table.allObjects.count == 1)
    }

    @Test func setsOfTablesAreJoinedAndCut() {
        func table(_ numbers: [Int]) -> NSHashTable<Thing> {
            let table = NSHashTable<Thing>()
            numbers.forEach { table.add(Thing($0)) }
            return table
        }
        func numbers(_ table: NSHashTable<Thing>) -> [Int] { table.allObjects.map(\.number).sorted() }
        let joined = table([1, 2])
        joined.union(table([2, 3]))
        #expect(numbers(joined) == [1, 2, 3])
        joined.minus(table([1]))
        #expect(numbers(joined) == [2, 3])
        joined.intersect(table([3, 4]))
        #expect(numbers(joined) == [3])
        #expect(joined.intersects(table([3])) && !joined.intersects(table([4])))
        #expect(joined.isSubset(of: table([3, 5])) && joined.isEqual(to: table([3])))
        #expect(joined.setRepresentation == [Thing(3)])
        var found: [Int] = []
        let enumerator = joined.objectEnumerator()
        while let thing = enumerator.nextObject() as? Thing { found.append(thing.number) }
        #expect(found == [3])
    }

    @Test func anEntryGoesWithEitherOfItsObjects() {
        let (key, value) = (Thing(1), Thing(2))
        let values = NSMapTable<Thing, Thing>.strongToWeakObjects()
        values.setObject(value, forKey: Thing(1))
        values.setObject(Thing(9), forKey: Thing(2))
        #expect(values.count == 1 && values.object(forKey: key) === value && values.object(forKey: Thing(2)) == nil)
        let keys = NSMapTable<Thing, Thing>.weakToStrongObjects()
        keys.setObject(Thing(5), forKey: key)
        keys.setObject(Thing(6), forKey: Thing(7))
        #expect(keys.count == 1 && keys.object(forKey: Thing(1))?.number == 5)
        let both = NSMapTable<Thing, Thing>.strongToStrongObjects()
        for number in 0..<100 { both.setObject(Thing(number + 1), forKey: Thing(number)) }
        both.setObject(Thing(0), forKey: Thing(3))
        both.setObject(nil, forKey: Thing(4))
        #expect(both.count == 99 && both.object(forKey: Thing(3))?.number == 0)
        #expect(both.dictionaryRepresentation().count == 99)
        both.removeAllObjects()
        #expect(both.count == 0 && both.objectEnumerator() == nil && both.keyEnumerator().nextObject() == nil)
    }
}
