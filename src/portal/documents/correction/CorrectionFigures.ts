/** A typed figure: its value in the API's form, or why it is not valid. */
export type Figure = { readonly value: string } | { readonly fault: "none" | "ambiguous" }

/**
 * Reads a figure as people type it: "10", "10,5", "10.50", "$ 1.190.000,00". A single dot or comma before three digits
 * is ambiguous: it may separate thousands or decimals. Rejects an ambiguous figure, unless it begins with a zero.
 */
export const figureOf = (typed: string): Figure => {
  const text = typed.replaceAll(/[\s\u00a0$]/g, "")
  const [, groups = "", rest = ""] =
    /^(\d{1,3}(?:\.\d{3}){2,})((?:,\d+)?)$/.exec(text) ??
    /^(\d{1,3}(?:\.\d{3})+)(,\d+)$/.exec(text) ??
    /^(\d{1,3}(?:,\d{3}){2,})((?:\.\d+)?)$/.exec(text) ??
    /^(\d{1,3}(?:,\d{3})+)(\.\d+)$/.exec(text) ??
    []
  const plain = groups === "" ? text.replace(",", ".") : groups.replaceAll(/[.,]/g, "") + rest.replace(",", ".")
  const [, whole = "", fraction = ""] = /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(plain) ?? []
  if (whole === "") return { fault: "none" }
  if (groups === "" && fraction.length === 3 && /[1-9]/.test(whole)) return { fault: "ambiguous" }
  return { value: `${whole.replace(/^0+(?=\d)/, "")}.${fraction.replace(/0+$/, "").padEnd(2, "0")}` }
}
