import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { option, runFinding, say } from "../support/processes/CommandLine.ts"
import { chosen } from "./Chosen.ts"
import { deck } from "./Faults.ts"
import type { HostileOptions } from "./parties/Hostile.ts"
import { floodKinds, hostileKinds } from "./parties/HostileInputs.ts"
import { brokenPromises, show } from "./checks/Scoreboard.ts"
import { soak } from "./Soak.ts"

/**
 * Runs the service under faults for the given time, next to a hostile client. Prints the scoreboard; exits with 1 if a
 * promise was broken.
 *
 *   npm run soak -- [--minutes 5] [--seed 1] [--rate 30] [--fault-every 3] [--spell 20] [--logs <directory>]
 *                  [--faults all|<kinds>] [--hostile on|off|<kinds>]
 */
const seed = option("seed", String(Math.floor(Math.random() * 1e6)))
const logs = option("logs", "")

const hostile = option("hostile", "on")
const everyKind = [...hostileKinds, ...floodKinds]
const listed = ["on", "off"].includes(hostile) ? undefined : chosen("hostile", "kind", everyKind, hostile)
const faults = option("faults", "all")
const faultKinds = faults === "all" ? deck : chosen("faults", "fault", deck, faults)

const worst: HostileOptions = {
  kinds: {
    // `npm run overload` measures each flood's effect on the neighbours: all floods together leave the machine no time.
    timed: listed ?? hostileKinds,
    later: listed ?? everyKind
  },
  spellMs: Number(option("spell", "20")) * 1_000,
  rate: 10,
  invoices: 12,
  hoard: 2_400,
  bounds: { p50: 2, p99Ms: 250, limited: 0, turnMs: 250, answerBytes: 1_000_000 }
}

const keepLogs = (list: ReadonlyArray<string>) => {
  Fs.mkdirSync(logs, { recursive: true })
  list.forEach((log, index) => Fs.writeFileSync(Path.join(logs, `process-${index + 1}.log`), log))
}

runFinding(
  Effect.gen(function* () {
    say(`seed ${seed}`)
    const { lines, ...run } = yield* soak({
      seed,
      seconds: Number(option("minutes", "5")) * 60,
      rate: Number(option("rate", "30")),
      faultEveryMs: Number(option("fault-every", "3")) * 1_000,
      faultKinds,
      ...(hostile === "off" ? {} : { hostile: worst }),
      say
    })
    if (logs !== "") keepLogs(run.logs)
    const broken = brokenPromises(lines)
    say(`\n${show(lines)}\n`)
    say(broken.length === 0 ? `seed ${seed}: every promise was kept` : `seed ${seed}: BROKEN: ${broken.join("; ")}`)
    return broken
  })
)
