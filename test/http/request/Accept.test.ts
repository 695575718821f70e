import { assert, describe, it } from "@effect/vitest"
import { wantsProblem } from "../../../src/http/request/Accept.ts"

const problem = "application/problem+json"

describe("Accept", () => {
  it.each([
    problem,
    "Application/Problem+JSON",
    `text/html, ${problem}`,
    `application/json, ${problem}`,
    `${problem}, application/json;q=0.9`,
    `${problem}; q=0.5, application/json; q=0.5`,
    `${problem};q=0.001`,
    `*/*;q=0.8, ${problem}`,
    `application/json;q=0, */*, ${problem};q=0.2`,
    `${problem};charset=utf-8;q=1.0`
  ])("%s requests a problem document", (accept) => assert.isTrue(wantsProblem(accept)))

  it.each([
    "",
    "*/*",
    "application/*",
    "application/json",
    "application/problem+jsonx",
    `${problem};q=0`,
    `${problem};q=0.000`,
    `${problem};q=0.5, application/json`,
    `${problem};q=0.5, application/json;q=0.6`,
    `${problem};q=0.5, */*`,
    `${problem};q=0.5, application/*;q=0.7`,
    `${problem};q=2`,
    `${problem};q=x`
  ])("%s requests no problem document", (accept) => assert.isFalse(wantsProblem(accept)))
})
