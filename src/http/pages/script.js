// What a browser adds to a page that can be read without a script: the chosen language of samples, copying, and a filter.

const place = "folio.language"

const remembered = () => {
  try {
    return localStorage.getItem(place)
  } catch {
    return null
  }
}

const choose = (language) => {
  for (const choice of document.querySelectorAll(".tabs input")) if (choice.value === language) choice.checked = true
}

document.addEventListener("change", ({ target }) => {
  if (!target.matches(".tabs input")) return
  // What the reader looks at stays where it is, though samples above become longer or shorter.
  const before = target.getBoundingClientRect().top
  choose(target.value)
  window.scrollBy(0, target.getBoundingClientRect().top - before)
  try {
    localStorage.setItem(place, target.value)
  } catch {
    // A browser that keeps nothing shows the first language again on the next page.
  }
})
choose(remembered())

for (const sample of document.querySelectorAll(".sample")) {
  if (navigator.clipboard === undefined) break
  const button = document.createElement("button")
  button.type = "button"
  button.className = "copy"
  button.textContent = "Copy"
  button.setAttribute("aria-live", "polite")
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(sample.querySelector("code").textContent)
    button.textContent = "Copied"
    setTimeout(() => (button.textContent = "Copy"), 2000)
  })
  sample.append(button)
}

const contents = document.querySelector("#contents")
if (contents !== null) {
  const filter = document.createElement("input")
  filter.type = "search"
  filter.className = "filter"
  filter.placeholder = "Filter"
  filter.setAttribute("aria-label", "Filter the contents")
  filter.addEventListener("input", () => {
    const asked = filter.value.trim().toLowerCase()
    for (const item of contents.querySelectorAll("li")) item.hidden = !item.textContent.toLowerCase().includes(asked)
    for (const inside of contents.querySelectorAll(".inside")) {
      const isFound = asked !== "" && [...inside.children].some((item) => !item.hidden)
      inside.classList.toggle("found", isFound)
    }
    for (const title of contents.querySelectorAll("h2"))
      title.hidden = [...title.nextElementSibling.children].every((item) => item.hidden)
  })
  contents.prepend(filter)
  // The page that is shown stands in the middle of a list that is longer than the window.
  const current = contents.querySelector("[aria-current]")
  if (current !== null) contents.scrollTop = current.offsetTop - contents.clientHeight / 2
}
