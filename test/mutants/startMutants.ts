import type { Mutant } from "./mutants.ts"

/** What is looked at before a service starts, and what must end. */
export const startMutants: ReadonlyArray<Mutant> = [
  {
    name: "a key that does not open the canary starts all the same",
    file: "src/store/KeyCanary.ts",
    find: "if (Option.isSome(found)) return yield* opens(found.value)",
    replace: "if (Option.isSome(found)) return true",
    tests: ["test/platform/SealingKey.pg.test.ts"]
  },
  {
    name: "a key file is made for a database that has sealed secrets",
    file: "src/platform/SealingKey.ts",
    find: "if (!Fs.existsSync(file) && (yield* isAnythingSealed)) {",
    replace: "if (false as boolean) {",
    tests: ["test/platform/SealingKey.pg.test.ts"]
  },
  {
    name: "a database without a canary takes any key",
    file: "src/store/KeyCanary.ts",
    find: "if (looked > 0 && looked === unopened) return false",
    replace: "",
    tests: ["test/platform/SealingKey.pg.test.ts"]
  },
  {
    name: "an authority that breaks is called for ever",
    file: "src/entities/BrokenCalls.ts",
    find: "if (times < brokenCallsMax ||",
    replace: "if (times > 0 ||",
    tests: ["test/entities/BrokenAuthority.test.ts"]
  },
  {
    name: "an authority's silence counts as its breaking",
    file: "src/entities/BrokenCalls.ts",
    find: "const times = (timesInARow.get(row.id) ?? 0) + 1",
    replace: "const times = row.attempts",
    tests: ["test/entities/BrokenAuthority.test.ts"]
  },
  {
    name: "a service that lets webhooks reach internal addresses starts with live keys",
    file: "src/cli/Serve.ts",
    find: "if (webhookAllow.length === 0 || !(yield* hasLiveKeys)) return",
    replace: "if (webhookAllow.length >= 0 || !(yield* hasLiveKeys)) return",
    tests: ["test/webhookAllow.pg.test.ts"]
  },
  {
    name: "a live key is made beside a service that lets webhooks reach internal addresses",
    file: "src/store/LiveMode.ts",
    find: "if (rows.length === 0) return\n",
    replace: "if (rows.length >= 0) return\n",
    tests: ["test/webhookAllow.pg.test.ts"]
  },
  {
    name: "a second process serves a database beside the first",
    file: "src/platform/ServiceLock.ts",
    find: "if (row?.[0] !== true) {",
    replace: "if (row === undefined) {",
    tests: ["test/serviceLock.pg.test.ts"]
  },
  {
    name: "a process that stands still keeps the database to itself",
    file: "src/platform/ServiceLock.ts",
    find: "idle_session_timeout: `${silenceMax}`",
    replace: 'idle_session_timeout: "0"',
    tests: ["test/serviceLock.pg.test.ts"]
  },
  {
    name: "a process that has lost the database goes on serving it",
    file: "src/cli/Serve.ts",
    find: "return yield* (yield* ServiceLock).lost",
    replace: "return yield* Effect.never",
    tests: ["test/serviceLock.pg.test.ts"]
  },
  {
    name: "closing the terminal ends a process at once",
    file: "src/main.ts",
    find: 'process.on("SIGHUP", () => process.emit("SIGTERM", "SIGTERM"))',
    replace: "",
    tests: ["test/platform/Signals.test.ts"]
  },
  {
    name: "what the database refuses is told as it comes",
    file: "src/platform/Postgres.ts",
    find: "if (refused !== undefined) return unusable(place, refused)",
    replace: "if (refused !== undefined) return new DatabaseError({ message: refused.message })",
    tests: ["test/platform/DatabaseRefusals.pg.test.ts"]
  },
  {
    name: "a release serves the tables of a later one",
    file: "src/platform/Postgres.ts",
    find: "if (last > lastMigration) return yield* otherRelease(place, last)",
    replace: "",
    tests: ["test/platform/DatabaseRefusals.pg.test.ts"]
  }
]
