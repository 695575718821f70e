/** The `known` kinds that `--option` lists. Throws on an unknown kind, which would otherwise be ignored silently. */
export const chosen = <Kind extends string>(
  option: string,
  kind: string,
  known: ReadonlyArray<Kind>,
  listed: string
): ReadonlyArray<Kind> => {
  const names: ReadonlyArray<string> = listed.split(",")
  const unknown = names.filter((name) => !known.some((one) => one === name))
  if (unknown.length === 0) return known.filter((one) => names.includes(one))
  throw new Error(
    `--${option} names no ${kind}: ${unknown.join(", ")}. Choose from: ${[...new Set(known)].join(", ")}.`
  )
}
