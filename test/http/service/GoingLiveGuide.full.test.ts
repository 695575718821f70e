import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { liveStepCodes } from "../../../schemas/LiveSteps.ts"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { softwareSecurityCode } from "../../../src/documents/rules/Cufe.ts"
import { type Client, makeClient } from "../../support/apps/Client.ts"
import { keyFile } from "../../support/authority/LiveAccounts.ts"
import { grantedRange, rangesAnswer, standInAuthority } from "../../support/authority/StandInAuthority.ts"
import { curlIsThere, noteAnswers, tryCommands } from "../../support/PageCommands.ts"
import { folioCommand } from "../../support/processes/FolioCommand.ts"
import { serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { it } from "../../support/Tests.ts"

const page = "src/docs/guides/going-live.md"
const root = Path.resolve(import.meta.dirname, "../../..")

const stepsOf = (client: Client) =>
  Effect.map(client.get("/v1/account"), ({ json }) => {
    assert.strictEqual(json.live.ready, json.live.steps.length === 0)
    return json.live.steps as ReadonlyArray<Readonly<Record<"code" | "href" | "message" | "state", string>>>
  })
const codesOf = (client: Client) => Effect.map(stepsOf(client), (steps) => steps.map(({ code }) => code))

const afterKey = ["issuer", "certificate", "software", "enablement", "numbering_range"]

it.live.skipIf(!curlIsThere)(
  "the going-live guide leads from an empty database to the first accepted invoice (curl 7.75 or later)",
  function* () {
    const authority = yield* standInAuthority({ readCufe: (signed) => readSignedDocument(signed)?.cufe ?? null })
    authority.answerTo("GetNumberingRange", rangesAnswer([grantedRange]))
    const env: Record<string, string> = {}
    const service = yield* serviceProcess({ webhookAllow: "", env })
    yield* service.start()
    const before = yield* stepsOf(service.client())
    assert.deepStrictEqual(
      before.map(({ code }) => code),
      ["authority", "live_key", ...afterKey]
    )
    const text = Fs.readFileSync(Path.join(root, page), "utf8")
    const anchors = [...text.matchAll(/^## (.*)$/gmu)].map(([, heading = ""]) =>
      heading.toLowerCase().replaceAll(" ", "-")
    )
    for (const { href, message, state } of before) {
      assert.include(anchors, new URL(href).hash.slice(1))
      assert.strictEqual(`${new URL(href).origin}${new URL(href).pathname}`, `${service.url}/docs/guides/going-live`)
      assert.match(message, /^[A-Z].*\.$/)
      assert.strictEqual(state, "missing")
    }
    for (const code of liveStepCodes) assert.include(text, `\`${code}\``)

    env["AUTHORITY_URL"] = authority.url
    env["AUTHORITY_TEST_URL"] = authority.url
    yield* service.signal("SIGTERM")
    yield* service.ended
    yield* service.start()
    const tests = service.client()
    assert.deepStrictEqual(yield* codesOf(tests), ["live_key", ...afterKey])

    const command = (shown: string, words: ReadonlyArray<string>) => {
      assert.include(text, shown)
      return folioCommand([...words, "--json"], { DATA_DIR: service.dataDir })
    }
    const accounts = yield* command("npx folio accounts list", ["accounts", "list"])
    const account = String(accounts.json[0].id)
    const words = ["keys", "create", "--account", account, "--mode", "live"]
    const { json: made } = yield* command("npx folio keys create --account ten_... --mode live", words)
    assert.deepStrictEqual(yield* codesOf(tests), afterKey, "a test key sees what a live key sees")

    const folder = Path.dirname(service.dataDir)
    noteAnswers(folder)
    const { password, pkcs12 } = keyFile()
    Fs.writeFileSync(Path.join(folder, "certificate.p12"), Buffer.from(pkcs12, "base64"))
    const settings = { FOLIO_URL: service.url, FOLIO_API_KEY: made.key, PASSWORD: password }
    const { stdout } = yield* tryCommands([page], settings, folder)
    const left = stdout
      .split("Left to do:\n")
      .slice(1)
      .map((part) => [.../^(?:- \w+\n)*/u.exec(part)![0].matchAll(/- (\w+)/gu)].map(([, code]) => code))
    assert.deepStrictEqual(left, [
      afterKey,
      ["vat_responsible", "certificate", "software", "enablement", "numbering_range"],
      ["certificate", "software", "enablement", "numbering_range"],
      ["software", "enablement", "numbering_range"],
      ["enablement", "numbering_range"],
      []
    ])
    assert.include(stdout, '"valid":true')
    assert.deepStrictEqual([yield* codesOf(tests), yield* codesOf(makeClient(service.url, made.key))], [[], []])
    assert.notInclude(stdout, '"pin"')

    const [document, ...others] = authority.documents.values()
    assert.deepStrictEqual([others.length, authority.refusals], [0, []])
    assert.match(stdout, new RegExp(`"cufe":"${document?.cufe}"`, "u"))
    assert.match(stdout, /"status":"accepted_by_authority"/u)
    const signed = Buffer.from(document?.bytes ?? []).toString()
    const id = "56f2ae4e-9812-4fad-9255-08fcfcd5ccb0"
    assert.match(signed, new RegExp(`<sts:SoftwareID[^>]*>${id}<`, "u"))
    assert.include(signed, `>${softwareSecurityCode(id, "20187", "FE1")}<`)
    assert.deepInclude(authority.calls.find(({ operation }) => operation === "GetNumberingRange")?.parameters, {
      accountCode: "900373115",
      accountCodeT: "900373115",
      softwareCode: id
    })
  }
)
