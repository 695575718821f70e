import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { issue } from "../../../support/apps/Correcting.ts"
import { layer as app } from "../../../support/apps/PostgresApp.ts"
import { fetchBytes, send } from "../../../support/apps/Requests.ts"
import { describeLive } from "../../../support/Tests.ts"
import { png } from "../../../accounts/rules/pictures.ts"

const picturesOf = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString("latin1")
    .match(/\/Subtype\s*\/Image/g)?.length ?? 0

const printed = (id: string) =>
  Effect.map(fetchBytes({ path: `/v1/invoices/${id}/pdf` }), ({ bytes, headers, status }) => {
    assert.strictEqual(status, 200)
    return { bytes: Buffer.from(bytes).toString("base64"), tag: headers["etag"], pictures: picturesOf(bytes) }
  })

const put = (bytes: Buffer) =>
  Effect.map(send({ method: "PUT", path: "/v1/account/logo", body: bytes }), ({ status, text }) => {
    assert.strictEqual(status, 200, text)
  })

describeLive(app)("A printed document", (it) => {
  it.effect("keeps the logo that its issuer had when the document got its number", function* () {
    const plain = (yield* issue).id
    const before = yield* printed(plain)
    assert.strictEqual(before.pictures, 0)
    yield* put(png(40, 30))
    const withLogo = (yield* issue).id
    const shown = yield* printed(withLogo)
    assert.isAbove(shown.pictures, 0)
    assert.deepStrictEqual(yield* printed(withLogo), shown)
    yield* put(png(20, 10))
    const later = yield* printed((yield* issue).id)
    assert.isAbove(later.pictures, 0)
    yield* send({ method: "DELETE", path: "/v1/account/logo" })
    assert.strictEqual((yield* printed((yield* issue).id)).pictures, 0)
    assert.deepStrictEqual([yield* printed(plain), yield* printed(withLogo)], [before, shown])
  })
})
