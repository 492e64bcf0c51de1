// The choice is a cookie, so that the server writes the page in the right colours at once.
const ORDER = ["auto", "light", "dark"];

export function offerThemes() {
  const button = document.getElementById("theme");
  if (!button) return;
  const root = document.documentElement;
  const show = () => {
    button.textContent = `Theme: ${root.dataset.theme || "auto"}`;
  };
  button.hidden = false;
  show();
  button.addEventListener("click", () => {
    const next = ORDER[(ORDER.indexOf(root.dataset.theme || "auto") + 1) % ORDER.length];
    root.dataset.theme = next;
    document.cookie = `dibs-theme=${next}; path=/; max-age=31536000; samesite=lax`;
    show();
    document.dispatchEvent(new Event("dibs:theme"));
  });
}
