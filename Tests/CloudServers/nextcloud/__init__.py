"""A small server that speaks Nextcloud's protocols, for tests: see Tests/CloudServers/README.md."""
