/** An instruction of a Dockerfile; `words` are its exec form, or else the whole line. */
export interface Instruction {
  readonly name: string
  readonly text: string
  readonly flags: Readonly<Record<string, string>>
}

export interface Stage {
  readonly name: string | undefined
  readonly from: string
  readonly instructions: ReadonlyArray<Instruction>
}

const flag = /^--([a-z-]+)=(\S+)\s+/

const instructionOf = (line: string): Instruction => {
  const [, name = "", rest = ""] = /^(\S+)\s+(.*)$/.exec(line) ?? []
  const flags: Record<string, string> = {}
  let text = rest
  for (let found = flag.exec(text); found !== null; found = flag.exec(text)) {
    flags[found[1] ?? ""] = found[2] ?? ""
    text = text.slice(found[0].length)
  }
  return { name, text: text.trim(), flags }
}

/** The instructions of a Dockerfile: its arguments before the first stage, and its stages. */
export const parse = (text: string) => {
  const lines = text
    .split("\n")
    .filter((line) => !/^\s*#/.test(line))
    .join("\n")
    .replaceAll(/\\\n/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  const before: Array<Instruction> = []
  const stages: Array<Stage & { readonly instructions: Array<Instruction> }> = []
  for (const instruction of lines.map(instructionOf)) {
    if (instruction.name === "FROM") {
      const [from = "", , name] = instruction.text.split(/\s+/)
      stages.push({ name, from, instructions: [] })
    } else (stages.at(-1)?.instructions ?? before).push(instruction)
  }
  return { before, stages: stages as ReadonlyArray<Stage> }
}

/** The words of an instruction in exec form; undefined for shell form. */
export const execForm = (text: string): ReadonlyArray<string> | undefined => {
  if (!text.startsWith("[")) return undefined
  const words: unknown = JSON.parse(text)
  return Array.isArray(words) ? words.map(String) : undefined
}
