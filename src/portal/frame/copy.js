// Buttons that copy a text. Without a script, or where the browser gives no clipboard, no button is shown.
if (navigator.clipboard !== undefined) {
  document.documentElement.classList.add("copies")
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copy]")
    if (button === null) return
    try {
      await navigator.clipboard.writeText(button.dataset.copy)
      button.textContent = button.dataset.done
    } catch {
      // The browser refuses: the text next to the button can still be selected.
    }
  })
}
