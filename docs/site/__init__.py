"""The documentation as a site: pages of plain files, which ask nobody for anything."""
