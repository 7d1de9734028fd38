"""Servers by others, started for tests: recipes.py has one recipe for each."""
