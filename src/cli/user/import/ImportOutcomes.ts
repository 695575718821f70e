import * as Effect from "effect/Effect"
import { Output } from "../Output.ts"
import type { Fault, Item } from "./ImportedInvoices.ts"
import { shown } from "../Table.ts"

const barWidth = 24

/**
 * Prints each invoice's outcome as it arrives, and at a terminal a progress bar below. An earlier run created `done` of
 * `total`. `happened` describes the invoices that were not rejected.
 */
export const make = Effect.fnUntraced(function* (total: number, done: number, happened: "valid" | "created") {
  const output = yield* Output
  const hasBar = !output.isJson && process.stderr.isTTY
  const refused: Array<{ readonly item: Item; readonly error: string }> = []
  let count = done
  let drawn = 0

  const wipe = () => {
    if (drawn > 0) process.stderr.write("\r\u001b[2K")
  }
  const draw = () => {
    if (!hasBar) return
    const filled = Math.round((barWidth * count) / total)
    const bar = `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}`
    process.stderr.write(`${bar} ${count}/${total}${refused.length === 0 ? "" : ` · ${refused.length} rejected`}`)
    drawn++
  }

  const give = (item: Item, id: string | null, faults: ReadonlyArray<Fault>) =>
    Effect.gen(function* () {
      const { lines, order } = item
      count++
      wipe()
      const said = faults.map(
        ({ field, line, message }) => `${field === null ? "" : `${field}: `}${message} (line ${line})`
      )
      if (faults.length > 0) refused.push({ item, error: said.join(" · ") })
      const verdict = faults.length > 0 ? "refused" : "ok"
      const value = { object: "import_verdict", line: lines[0], lines, order, verdict, id, errors: faults }
      yield* output.one(value, ({ bold, green, red }) => {
        const lineOf = (painted: string, text: string) =>
          [`line ${lines[0]}`, painted, bold(order ?? ""), shown(text)].filter((part) => part !== "").join("  ")
        return faults.length === 0 ? [lineOf(green("ok"), id ?? "")] : said.map((one) => lineOf(red("rejected"), one))
      })
      draw()
    })

  const say = (text: string) =>
    Effect.gen(function* () {
      wipe()
      yield* output.say(({ dim }) => dim(text))
      draw()
    })

  const end = Effect.suspend(() => {
    wipe()
    drawn = 0
    const earlier = done === 0 ? "" : `, ${done} of them by an earlier run`
    return output.say(({ bold }) => bold(`${count - refused.length} of ${total} invoices are ${happened}${earlier}.`))
  })

  return { give, say, end, refused: () => refused }
})
