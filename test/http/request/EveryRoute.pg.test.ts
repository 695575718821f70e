import { assert, describe, it as test } from "@effect/vitest"
import { Api } from "../../../src/api/Api.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { bearer, send, type Sent } from "../../support/apps/Requests.ts"

import { faults } from "../inputs/routeAnswers.ts"
import { noId, rows } from "../inputs/routeRows.ts"
import { describeLive } from "../../support/Tests.ts"

const withKey = (key: string) => ({ headers: bearer(key) })

const strange = (id: string) => `${id.slice(0, -4)}0000`

const withFault = (fault: (typeof faults)[number], right: Sent, id: string): Sent => {
  switch (fault) {
    case "nothing":
      return right
    case "no key":
      return { ...right, headers: { authorization: undefined } }
    case "wrong key":
      return { ...right, ...withKey(keys.unknown) }
    case "revoked key":
      return { ...right, ...withKey(keys.revoked) }
    case "other account":
      return { ...right, ...withKey(keys.otherAccount) }
    case "other mode":
      return { ...right, ...withKey(keys.live) }
    case "unknown id":
      return JSON.parse(JSON.stringify(right).replaceAll(id, strange(id)))
    case "wrong method":
      return { ...right, method: "OPTIONS" }
    case "wrong media type":
      return { ...right, body: right.body ?? "{}", headers: { ...right.headers, "content-type": "text/plain" } }
    case "malformed JSON":
      return { ...right, body: "{" }
    case "unknown field":
      return right.method === "GET" || right.method === "DELETE"
        ? { ...right, path: `${right.path}?odd=1` }
        : { ...right, body: { ...(right.body as object | undefined), odd: 1 } }
  }
}

describe("the rows", () => {
  test("match the routes of the interface: a new route needs a row", () => {
    const routes = Object.values(Api.groups).flatMap((group) =>
      Object.values(group.endpoints).map(({ method, path }) => `${method} ${path}`)
    )
    assert.sameMembers(Object.keys(rows), routes)
  })
})

describeLive(app)("every route", (it) => {
  for (const [route, { answers, body, id: makeId = noId, key }] of Object.entries(rows)) {
    const [method = "", pattern = ""] = route.split(" ")
    let untouched: string | undefined
    it.effect.each(faults.map((fault) => ({ fault, expected: answers[fault] })))(
      `${route} with $fault: $expected`,
      function* ({ expected, fault }) {
        if (expected === "does not apply") return assert.notMatch(pattern, /:/)
        // A rejected request leaves its object to the next one.
        const isRefused = expected[0] >= 400
        const id = isRefused && untouched !== undefined ? untouched : yield* makeId
        if (isRefused) untouched = id
        const path = pattern.replace(/:\w+/, id)
        const headers = key === undefined ? {} : bearer(yield* key)
        const right = { method, path, headers, ...(body === undefined ? {} : { body: body(id) }) }
        const reply = yield* send(withFault(fault, right, id))
        assert.deepStrictEqual([reply.status, reply.json?.error?.code], [expected[0], expected[1]], reply.text)
      }
    )
  }
})
