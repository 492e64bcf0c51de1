// Before anything is drawn, so that no page flashes in the other colours.
try {
  document.documentElement.dataset.theme = localStorage.getItem("dibs-docs-theme") || "auto";
} catch {
  document.documentElement.dataset.theme = "auto";
}
