import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { Account } from "../../../schemas/Account.ts"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { makeClient } from "../../support/apps/Client.ts"
import { keyFile } from "../../support/authority/LiveAccounts.ts"
import { grantedRange, rangesAnswer, standInAuthority } from "../../support/authority/StandInAuthority.ts"
import { curlIsThere, noteAnswers, tryCommands } from "../../support/PageCommands.ts"
import { folioCommand } from "../../support/processes/FolioCommand.ts"
import { serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { it } from "../../support/Tests.ts"

const page = "guides/issue-for-many-companies.md"
const docs = Path.resolve(import.meta.dirname, "../../../src/docs")
const prefixes: Readonly<Record<string, string>> = { "901234567": "FT", "900373115": "FF" }

for (const [language, folderOfDocs] of [
  ["English", ""],
  ["Spanish", "es/"]
] as const)
  it.live.skipIf(!curlIsThere)(
    `the ${language} guide to many companies leads from a new platform to two live invoices (curl 7.75 or later)`,
    function* () {
      const authority = yield* standInAuthority({ readCufe: (signed) => readSignedDocument(signed)?.cufe ?? null })
      authority.answerWith(({ operation, parameters }) =>
        operation === "GetNumberingRange"
          ? rangesAnswer([{ ...grantedRange, Prefix: prefixes[parameters["accountCode"] ?? ""] ?? "" }])
          : undefined
      )
      const env = { AUTHORITY_URL: authority.url, AUTHORITY_TEST_URL: authority.url }
      const service = yield* serviceProcess({ webhookAllow: "", env })
      yield* service.start()

      const file = `${folderOfDocs}${page}`
      const text = Fs.readFileSync(Path.join(docs, file), "utf8")
      const command = Effect.fnUntraced(function* (shown: string, words: ReadonlyArray<string>) {
        assert.include(text, shown)
        const done = yield* folioCommand([...words, "--json"], { DATA_DIR: service.dataDir })
        assert.strictEqual(done.code, 0, done.error)
        return done
      })
      const create = ["platforms", "create", "--name", "Mi ERP", "--return-host", "app.example.com"]
      const made = yield* command('npx folio platforms create --name "Mi ERP" --return-host app.example.com', create)
      const { id } = made.json.platform
      const key = ["keys", "create", "--account", id, "--mode", "live"]
      const madeKey = yield* command("npx folio keys create --account plat_... --mode live", key)

      const folder = Path.dirname(service.dataDir)
      noteAnswers(folder)
      const { password, pkcs12 } = keyFile()
      for (const name of ["tornillo", "faro"]) {
        Fs.writeFileSync(Path.join(folder, `${name}.p12`), Buffer.from(pkcs12, "base64"))
      }
      const settings = { FOLIO_URL: service.url, PLATFORM_KEY: madeKey.json.key, PASSWORD: password }
      const { stdout } = yield* tryCommands([`src/docs/${file}`], settings, folder)
      assert.include(stdout, "- certificate\n- software\n- enablement\n- numbering_range\n")

      const { json } = yield* makeClient(service.url, madeKey.json.key).get("/v1/accounts")
      assert.deepStrictEqual(
        json.data.map(({ identification, live, status }: Account) => [identification?.number, live.ready, status]),
        [
          ["900373115", true, "active"],
          ["901234567", true, "active"]
        ]
      )
      const numbers = [...authority.documents.values()].map(
        ({ bytes }) => />((?:FT|FF)\d+)</u.exec(Buffer.from(bytes).toString())?.[1]
      )
      assert.deepStrictEqual([numbers.toSorted(), authority.refusals], [["FF1", "FT1"], []])
      assert.lengthOf([...stdout.matchAll(/"type":"invoice\.accepted_by_authority"/gu)], 2)
    }
  )
