// Copy buttons. They stay hidden without JavaScript and in browsers without a clipboard.
if (navigator.clipboard !== undefined) {
  document.documentElement.classList.add("copies")
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copy]")
    if (button === null) return
    try {
      await navigator.clipboard.writeText(button.dataset.copy)
      button.textContent = button.dataset.done
    } catch {
      // The browser denies access to the clipboard. The reader can still select the text next to the button.
    }
  })
}
