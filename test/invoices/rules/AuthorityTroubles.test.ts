import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { authorityTroubles, troubleMessage } from "../../../src/invoices/rules/AuthorityTroubles.ts"

describe("the troubles with the authority", () => {
  it.each(AuthorityTrouble.literals)("%s has whole sentences", (code) => {
    const { is_refusal, may_have_left, meanwhile, of, remedy, what } = authorityTroubles[code]
    for (const text of [what, meanwhile, remedy]) assert.match(text, /^[A-Z][^]*\.$/)
    assert.isAtMost(troubleMessage(code).length, 500)
    // A refusal is a response, so it is known whether the document arrived.
    if (is_refusal) assert.isFalse(may_have_left)
    // Only the authority's own trouble leads to contingency, and only for documents that never left.
    if (of !== "authority" || may_have_left) assert.notMatch(meanwhile, /are issued in contingency/)
    else assert.match(meanwhile, /are issued in contingency/)
  })

  it("appear on the page for operators, each with its owner", () => {
    const page = Fs.readFileSync(Path.resolve(import.meta.dirname, "../../../src/docs/running/authority.md"), "utf8")
    const words = {
      authority: "the authority's",
      service: "this service's",
      account: "one account's",
      document: "a document's"
    }
    for (const code of AuthorityTrouble.literals) {
      const row = page.split("\n").find((line) => line.startsWith("|") && line.includes(`\`${code}\``))
      assert.include(row?.split("|")[2], words[authorityTroubles[code].of], code)
    }
  })
})
