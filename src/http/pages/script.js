// Adds the sample language, copy buttons and the search. The pages work without this script.

const storageKey = "folio.language"

const remembered = () => {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return null
  }
}

const choose = (language) => {
  for (const choice of document.querySelectorAll(".tabs input")) if (choice.value === language) choice.checked = true
}

document.addEventListener("change", ({ target }) => {
  if (!target.matches(".tabs input")) return
  // Keeps the reader's place when samples above become longer or shorter.
  const before = target.getBoundingClientRect().top
  choose(target.value)
  window.scrollBy(0, target.getBoundingClientRect().top - before)
  try {
    localStorage.setItem(storageKey, target.value)
  } catch {
    // A browser without storage shows the first language again on the next page.
  }
})
choose(remembered())

for (const sample of document.querySelectorAll(".sample")) {
  if (navigator.clipboard === undefined) break
  const button = document.createElement("button")
  button.type = "button"
  button.className = "copy"
  button.textContent = document.body.dataset.copy
  button.setAttribute("aria-live", "polite")
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(sample.querySelector("code").textContent)
    button.textContent = document.body.dataset.copied
    setTimeout(() => (button.textContent = document.body.dataset.copy), 2000)
  })
  sample.append(button)
}

/** Removes case and accents, so that "numeracion" finds "numeración". */
const plain = (text) =>
  text
    .normalize("NFD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()

const shownMax = 20
const snippetLength = 140

const contents = document.querySelector("#contents")

const indexOf = async () =>
  (await (await fetch(contents.dataset.index)).json()).map(([path, title, heading, text, language]) => ({
    path,
    title,
    heading,
    text,
    language,
    inHeading: plain(`${title} ${heading}`),
    inText: plain(text)
  }))

/** The sections that contain all words. Sections with the words in their heading come first. */
const found = (sections, query) => {
  const asked = plain(query)
    .split(/\s+/)
    .filter((word) => word !== "")
  return sections
    .flatMap((section) => {
      if (!asked.every((word) => section.inHeading.includes(word) || section.inText.includes(word))) return []
      const inHeading = asked.filter((word) => section.inHeading.includes(word)).length
      return [{ section, inHeading, word: asked.find((word) => section.inText.includes(word)) }]
    })
    .toSorted((one, other) => other.inHeading - one.inHeading)
    .slice(0, shownMax)
}

const snippet = ({ section: { inText, text }, word }) => {
  // The plain text may be shorter than the original, so the position is only near the word.
  const near = word === undefined ? 0 : Math.max(0, inText.indexOf(word) - 40)
  const begin = near === 0 ? 0 : text.indexOf(" ", near) + 1
  return (
    (begin > 0 ? "… " : "") +
    text.slice(begin, begin + snippetLength) +
    (text.length > begin + snippetLength ? " …" : "")
  )
}

const resultShown = (result) => {
  const { heading, language, path, title } = result.section
  const item = document.createElement("li")
  item.lang = language
  const link = document.createElement("a")
  link.href = contents.dataset.root + path.slice(1)
  link.textContent = heading === title ? title : `${title}: ${heading}`
  const text = document.createElement("span")
  text.textContent = snippet(result)
  item.append(link, text)
  return item
}

if (contents !== null) {
  const parts = [...contents.children]
  const field = document.createElement("input")
  field.type = "search"
  field.className = "filter"
  field.placeholder = contents.dataset.search
  field.setAttribute("aria-label", contents.dataset.search)
  const results = document.createElement("ul")
  results.className = "results"
  results.setAttribute("aria-live", "polite")
  results.hidden = true
  let loading
  field.addEventListener("focus", () => (loading ??= indexOf()))
  field.addEventListener("input", async () => {
    const query = field.value
    const isAsked = query.trim() !== ""
    for (const part of parts) part.hidden = isAsked
    results.hidden = !isAsked
    if (!isAsked) return
    const sections = await (loading ??= indexOf())
    if (field.value !== query) return
    const all = found(sections, query).map(resultShown)
    const nothing = document.createElement("li")
    nothing.textContent = contents.dataset.nothing
    results.replaceChildren(...(all.length === 0 ? [nothing] : all))
  })
  field.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") results.querySelector("a")?.click()
  })
  contents.prepend(field, results)
  // Scrolls the list of pages to the current page, because the list is longer than the window.
  const current = contents.querySelector("[aria-current]")
  if (current !== null) contents.scrollTop = current.offsetTop - contents.clientHeight / 2
}
