import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { dataPlace } from "../../support/processes/DataPlace.ts"
import { programAt } from "../../support/processes/ServiceProcess.ts"

const root = Path.resolve(import.meta.dirname, "../../..")

const git = (...args: ReadonlyArray<string>) => {
  try {
    return execFileSync("git", args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] })
      .toString()
      .trim()
  } catch {
    return ""
  }
}

const release = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = Fs.mkdtempSync(Path.join(dataPlace(), "folio-release-"))
    Fs.symlinkSync(Path.join(root, "node_modules"), Path.join(folder, "node_modules"))
    return folder
  }),
  (folder) => Effect.sync(() => Fs.rmSync(folder, { recursive: true, force: true }))
)

const programIn = (folder: string) => [Path.join(folder, "src/main.ts")]

/**
 * The service of the previous commit, or of the commit in UPGRADE_FROM, with this commit's packages. If the history has
 * no such commit with these migrations: this service, with another revision of the actors' messages. Returns node's
 * arguments and settings.
 */
export const previousRelease = Effect.gen(function* () {
  const commit = git("rev-parse", "--verify", "--quiet", `${process.env["UPGRADE_FROM"] ?? "HEAD^"}^{commit}`)
  if (commit === "" || git("ls-tree", "--name-only", commit, "migrations/0001_schema") === "") {
    return { program: [programAt("test/support/processes/faultyMain.ts")], env: { REVISION: "0123abcd" } }
  }
  const folder = yield* release
  const archive = execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 1024 ** 3 })
  execFileSync("tar", ["-x", "-C", folder], { input: archive })
  return { program: programIn(folder), env: {} }
})

/**
 * The migration of the next release. It takes the locks of a usual addition: on a table under load, and on a new table.
 */
const addition = `
  alter table invoices add column added text not null default '';
  create table additions (account_id text, livemode boolean, id text, primary key (account_id, livemode, id));
  call isolate_accounts('additions');
`

/** This service with one more migration. */
export const nextRelease = Effect.gen(function* () {
  const folder = yield* release
  for (const part of ["src", "schemas", "migrations", "package.json"]) {
    Fs.cpSync(Path.join(root, part), Path.join(folder, part), { recursive: true })
  }
  const number = Fs.readdirSync(Path.join(root, "migrations")).length + 1
  Fs.writeFileSync(Path.join(folder, `migrations/${String(number).padStart(4, "0")}_additions.sql`), addition)
  return { program: programIn(folder), env: {}, number }
})
