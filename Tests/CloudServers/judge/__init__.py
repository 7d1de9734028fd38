"""Tests of the servers: other people's clients judge the Nextcloud of this folder, and requests check its details."""
