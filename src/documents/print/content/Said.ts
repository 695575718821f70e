/** A text with its weight on the page: names are bold, supporting texts are quiet. */
export interface Said {
  readonly text: string
  readonly tone?: "bold" | "quiet"
}

/** Texts under a title, such as the buyer under "Cliente". */
export interface Block {
  readonly title: string
  readonly said: ReadonlyArray<Said>
}

const isSaid = (part: string | undefined): part is string => part !== undefined && part !== ""

/** The existing parts, joined into one text; nothing if there are none. */
export const joined = (
  separator: string,
  parts: ReadonlyArray<string | undefined>,
  tone?: NonNullable<Said["tone"]>
): ReadonlyArray<Said> => {
  const text = parts.filter(isSaid).join(separator)
  return text === "" ? [] : [{ text, ...(tone === undefined ? {} : { tone }) }]
}

/** The texts between the line ends of a text. */
export const linesOf = (text: string): ReadonlyArray<string> =>
  text.split(/\r\n|[\n\r]/).filter((line) => line.trim() !== "")
