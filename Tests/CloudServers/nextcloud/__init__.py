"""A small server that speaks Nextcloud's protocols, for tests: see README.md beside this file."""
