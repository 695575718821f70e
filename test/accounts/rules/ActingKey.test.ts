import { assert, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { ApiKeyId } from "../../../schemas/Id.ts"
import { actingKeyId } from "../../../src/accounts/rules/ApiKeyFormat.ts"

it("the id that stands for a platform's key ends with the digits that the command of the audit log's page prints", () => {
  const page = Fs.readFileSync(Path.join(import.meta.dirname, "../../../src/docs/running/audit-log.md"), "utf8")
  const [, command = "", key = "", account = "", shown] =
    /^(printf '%s' '(key_\w+)\|(ten_\w+)' [^#]*)# (\w+)$/mu.exec(page) ?? []
  const digits = execFileSync("sh", ["-c", command], { encoding: "utf8" }).trim()
  assert.strictEqual(digits, shown)
  assert.strictEqual(actingKeyId(ApiKeyId.make(key), account), `key_0000000001${digits}`)
})
