// Applies the chosen theme before the first paint. Runs before the page's script.
try {
  const theme = localStorage.getItem("bough.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: follow the system.
}
