import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { eventTypes as types } from "../../../../schemas/Event.ts"
import { eventTypes, eventTypesOf } from "../../../../src/cli/user/EventTypes.ts"
import { withSetting, writeSetting } from "../../../../src/cli/user/listen/EnvFile.ts"
import { targetOf } from "../../../../src/cli/user/listen/Forward.ts"
import { positionIn } from "../../../../src/cli/user/listen/ListenPosition.ts"

const targets: ReadonlyArray<readonly [text: string, url: string | undefined]> = [
  [":9099/hook", "http://localhost:9099/hook"],
  ["9099", "http://localhost:9099/"],
  [":9099", "http://localhost:9099/"],
  ["9099/a?b=c", "http://localhost:9099/a?b=c"],
  ["localhost:9099/x", "http://localhost:9099/x"],
  ["127.0.0.1:9099", "http://127.0.0.1:9099/"],
  ["[::1]:9099/x", "http://[::1]:9099/x"],
  ["http://10.0.0.7:80/x", "http://10.0.0.7/x"],
  ["https://hooks.example.test/x", "https://hooks.example.test/x"],
  ["ftp://localhost/x", undefined],
  ["file:///etc/passwd", undefined],
  ["/hook", undefined],
  ["", undefined],
  [":0/hook", undefined],
  [":99999", undefined],
  ["http://user:secret@localhost/x", undefined],
  ["a b", undefined]
]

const envFiles: ReadonlyArray<readonly [before: string, after: string]> = [
  ["", "SECRET=new\n"],
  ["A=1", "A=1\nSECRET=new\n"],
  ["A=1\n", "A=1\nSECRET=new\n"],
  ["A=1\r\nB=2\r\n", "A=1\r\nB=2\r\nSECRET=new\r\n"],
  ["A=1\nSECRET=old\nB=2", "A=1\nSECRET=new\nB=2"],
  ['  export SECRET = "old" # it\r\nB=2\r\n', "  export SECRET =new\r\nB=2\r\n"],
  ["SECRET=\n", "SECRET=new\n"],
  ["MY_SECRET=old\n#SECRET=old\n", "MY_SECRET=old\n#SECRET=old\nSECRET=new\n"],
  ["SECRET=a\nSECRET=b\n", "SECRET=new\nSECRET=new\n"]
]

const misuseOf = (pattern: string) =>
  Effect.map(Effect.flip(eventTypesOf([pattern])), ({ hint, message }) => `${message} ${hint}`)

describe("folio listen", () => {
  it("accepts an address to forward to", () => {
    for (const [text, url] of targets) assert.strictEqual(targetOf(text), url, text)
  })

  it("changes one line of a settings file, and makes no further change the next time", () => {
    for (const [before, after] of envFiles) {
      assert.strictEqual(withSetting(before, "SECRET", "new"), after, before)
      assert.strictEqual(withSetting(after, "SECRET", "new"), after, before)
    }
    assert.strictEqual(withSetting("SECRET=a\n", "SECRET", "$&$1"), "SECRET=$&$1\n")
  })

  it.effect("keeps the mode of a settings file, and creates a new one for its owner only", () =>
    Effect.gen(function* () {
      const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-env-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => Fs.rmSync(directory, { recursive: true })))
      const [made, kept] = [Path.join(directory, "made"), Path.join(directory, "kept")]
      Fs.writeFileSync(kept, "A=1\n", { mode: 0o644 })
      for (const file of [made, kept]) yield* writeSetting(file, "SECRET", "new")
      assert.strictEqual(Fs.statSync(made).mode & 0o777, 0o600)
      assert.strictEqual(Fs.statSync(kept).mode & 0o777, 0o644)
      assert.strictEqual(Fs.readFileSync(kept, "utf8"), "A=1\nSECRET=new\n")
      assert.deepStrictEqual(Fs.readdirSync(directory).toSorted(), ["kept", "made"])
    })
  )

  it("reads a saved position, and none from a damaged file", () => {
    assert.deepStrictEqual(positionIn('{"after":"evt_1","since":null,"url":"x"}'), { after: "evt_1", since: null })
    for (const damaged of ["", "{", "null", "[]", '{"after":1,"since":null}', '{"after":"evt_1"}']) {
      assert.isUndefined(positionIn(damaged), damaged)
    }
  })
})

describe("The CLI's event types", () => {
  it.effect("match the API's, and can be chosen by patterns", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual([...eventTypes], [...types])
      assert.isUndefined(yield* eventTypesOf(["*"]))
      assert.lengthOf((yield* eventTypesOf(["invoice.*"])) ?? [], 7)
      assert.lengthOf((yield* eventTypesOf(["*.failed, *_note.email.*"])) ?? [], 3 + 6)
      assert.deepStrictEqual(yield* eventTypesOf(["invoice.failed"]), ["invoice.failed"])
    })
  )

  it.effect("include a suggestion for an unknown type", () =>
    Effect.gen(function* () {
      assert.include(yield* misuseOf("invoice.rejectd"), "Did you mean invoice.rejected_by_authority?")
      assert.include(yield* misuseOf("email.bounced"), "Did you mean invoice.email.bounced?")
      assert.include(yield* misuseOf("debit_note.faild"), "Did you mean debit_note.failed?")
      for (const unlike of ["", "x", "customer.created", "payments(+"]) {
        assert.include(yield* misuseOf(unlike), "credit_note", unlike)
      }
    })
  )
})
