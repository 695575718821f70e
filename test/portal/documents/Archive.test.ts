import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { strFromU8, unzipSync, zipSync } from "fflate"
import { makeArchive } from "../../../src/portal/documents/Archive.ts"

const text = (seed: number, kilobytes: number) =>
  new TextEncoder().encode(
    Array.from({ length: kilobytes * 8 }, (_, index) =>
      `<cbc:Note>${(index * seed) % 9973} ${index}</cbc:Note>`.padEnd(128)
    ).join("")
  )

/** The longest time in which nothing else had a turn. */
const longestTurn = async (run: () => Promise<unknown>) => {
  let [longest, last] = [0, performance.now()]
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  await new Promise((done) => setTimeout(done, 5))
  await run()
  look()
  clearInterval(timer)
  return longest
}

describe("an archive", () => {
  it("contains its files as they were added, compressed or not", async () => {
    const { add, end } = makeArchive()
    const bytes = text(3, 20)
    await Effect.runPromise(add("a.xml", bytes))
    await Effect.runPromise(add("a.pdf", bytes, true))
    await Effect.runPromise(add("vacío.txt", new Uint8Array(0)))
    const whole = await Effect.runPromise(end)
    const files = unzipSync(whole)
    assert.deepStrictEqual(Object.keys(files), ["a.xml", "a.pdf", "vacío.txt"])
    assert.strictEqual(strFromU8(files["a.xml"] ?? bytes), strFromU8(bytes))
    assert.strictEqual(strFromU8(files["a.pdf"] ?? bytes), strFromU8(bytes))
    assert.isBelow(whole.length, bytes.length * 1.6)
  })

  it("leaves turns to other work, for documents of any length", async () => {
    const documents = Array.from({ length: 50 }, (_, index) => text(index + 1, 500))
    const turn = await longestTurn(() =>
      Effect.runPromise(
        Effect.gen(function* () {
          const { add, end } = makeArchive()
          for (const [index, bytes] of documents.entries()) yield* add(`${index}.xml`, bytes)
          return yield* end
        })
      )
    )
    const atOnce = await longestTurn(async () =>
      zipSync(Object.fromEntries(documents.map((bytes, index) => [`${index}.xml`, bytes])))
    )
    assert.isBelow(turn, atOnce / 5, `${turn} ms of ${atOnce} ms`)
  })
})
