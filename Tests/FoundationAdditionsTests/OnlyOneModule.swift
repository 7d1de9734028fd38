// Foundation comes with every module: this file imports one that is not Foundation, and uses that.
import UniformTypeIdentifiers

func json(_ type: UTType) throws -> Data { try JSONEncoder().encode([type.identifier]) }
