import { assert, it } from "@effect/vitest"
import type { TimelineEntry } from "../../../schemas/Timeline.ts"
import type { Visit } from "../../../src/portal/frame/Visit.ts"
import { timeline } from "../../../src/portal/documents/TimelinePart.ts"
import type { Shown } from "../../../src/portal/documents/DocumentView.ts"

const visit = {
  language: "en",
  t: (en: string) => en,
  to: (path: string) => path,
  may: () => false
} as unknown as Visit

const entry = (second: number, command: string) =>
  ({ type: "transition", at: `2026-11-21T10:00:0${second}.000-05:00`, command, from: "signed", to: "signed" }) as never

const shownOf = (commands: ReadonlyArray<string>) =>
  ({
    document: { id: "inv_1", full_number: "SETP1", authority_errors: [], failure: null },
    kind: "invoice",
    entries: commands.map((command, index) => entry(index, command)) as ReadonlyArray<TimelineEntry>,
    requests: [],
    endpoints: new Map(),
    signedBytes: null
  }) as unknown as Shown

const itemsOf = (commands: ReadonlyArray<string>) =>
  [...timeline(visit, shownOf(commands)).markup.matchAll(/<li[^>]*>([^]*?)<\/li>/g)].map(([, item = ""]) =>
    item
      .replaceAll(/<small>[^]*?<\/small>/g, "")
      .replaceAll(/<[^>]+>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim()
  )

const taken = ["submit", "return"] as const

it("repeated calls that were taken back share a row, with their number and the time of the last", () => {
  assert.deepStrictEqual(itemsOf(["sign", ...taken, ...taken, ...taken, "submit", "accept"]), [
    "10:00:00.000 Signed",
    "10:00:06.000 3 attempts, last at 10:00:06.000",
    "10:00:07.000 Transmitted to the authority",
    "10:00:08.000 Accepted by the authority"
  ])
})

it("a single call that was taken back has a row of its own, and calls with another day's signature have another", () => {
  assert.deepStrictEqual(itemsOf([...taken, "redate", ...taken, ...taken]), [
    "10:00:01.000 Not transmitted",
    "10:00:02.000 New issue date",
    "10:00:06.000 2 attempts, last at 10:00:06.000"
  ])
})
