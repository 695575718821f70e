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
  }
]
