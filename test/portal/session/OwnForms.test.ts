import { assert, describe, it } from "@effect/vitest"
import { csrfToken, isSame, isSentFromHere, referrerPolicy } from "../../../src/portal/session/OwnForms.ts"

const base = "https://folio.example.com/below"
const host = "folio.example.com"
const own = "https://folio.example.com"

describe("a form", () => {
  it.each([
    // Chromium's headers for a form of a page with the policy no-referrer, and for a request by script.
    [{ host, origin: "null", "sec-fetch-site": "same-origin" }, true],
    [{ host, origin: own, "sec-fetch-site": "same-origin" }, true],
    // Over plain http on another machine, and from browsers before 2023.
    [{ host, origin: own }, true],
    // Behind a proxy that changes Host, and one that ends TLS for a service that does not know its address.
    [{ host: "10.0.0.7:3000", origin: own }, true],
    [{ host: "other.example.com", origin: "https://other.example.com" }, true],
    [{ host, "sec-fetch-site": "same-origin" }, true],
    [{ host, origin: "null" }, false],
    [{ host }, false],
    [{ host, origin: "null", "sec-fetch-site": "cross-site" }, false],
    [{ host, origin: own, "sec-fetch-site": "cross-site" }, false],
    [{ host, origin: own, "sec-fetch-site": "same-site" }, false],
    [{ host, "sec-fetch-site": "none" }, false],
    [{ host, origin: "https://evil.example.com", "sec-fetch-site": "same-origin" }, false],
    [{ host, origin: "https://evil.example.com" }, false],
    [{ host, origin: "https://folio.example.com.evil.example" }, false],
    [{ host, origin: "https://folio.example.com:8443" }, false],
    [{ host, origin: "not an origin" }, false],
    [{ origin: "https://evil.example.com" }, false],
    [{ host, origin: "" }, false]
  ])("with %j comes from the portal: %s", (headers, expected) => {
    assert.strictEqual(isSentFromHere(headers, base), expected)
  })

  it("carries a token that fits only one cookie", () => {
    const [one, other] = [csrfToken("a"), csrfToken("b")]
    assert.match(one, /^[\w-]{43}$/u)
    assert.isTrue(isSame(one, csrfToken("a")))
    for (const wrong of ["", other, one.slice(1), `${one} `, "ñ".repeat(43), one.toLowerCase()]) {
      assert.isFalse(isSame(one, wrong), wrong)
    }
  })
})

it.each([
  ["https://folio.example.com", "no-referrer"],
  ["http://127.0.0.1:3000", "no-referrer"],
  ["http://localhost:3000", "no-referrer"],
  ["http://[::1]:3000", "no-referrer"],
  ["http://folio.lan:3000", "same-origin"],
  ["http://localhost.example.com", "same-origin"]
] as const)("the referrer policy at %s is %s", (baseUrl, policy) => {
  assert.strictEqual(referrerPolicy(baseUrl), policy)
})
