"""From a sheet to files: HTML, PDF by three tools, DOCX, and scans of any of them."""
