// Every module exports Foundation: this file uses Foundation, but imports another module only.
import UniformTypeIdentifiers

func json(_ type: UTType) throws -> Data { try JSONEncoder().encode([type.identifier]) }
