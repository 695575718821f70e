import { Effect, References } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { brokenPromises, show } from "./Scoreboard.ts"
import { soak } from "./Soak.ts"

/**
 * The service under faults, for as long as it is told. Prints the scoreboard; exits with 1 if a promise was broken.
 *
 *   npm run soak -- [--minutes 5] [--seed 1] [--rate 40] [--fault-every 3] [--logs <directory>]
 */
const option = (name: string, standard: string) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? standard : (process.argv[at + 1] ?? standard)
}
const say = (line: string) => void process.stdout.write(`${line}\n`)
const seed = option("seed", String(Math.floor(Math.random() * 1e6)))
const logs = option("logs", "")

say(`seed ${seed}`)
const { lines, ...run } = await Effect.runPromise(
  soak({
    seed,
    seconds: Number(option("minutes", "5")) * 60,
    rate: Number(option("rate", "40")),
    faultEveryMs: Number(option("fault-every", "3")) * 1_000,
    say
  }).pipe(Effect.provideService(References.MinimumLogLevel, "Error"))
)
if (logs !== "") {
  Fs.mkdirSync(logs, { recursive: true })
  run.logs.forEach((log, index) => Fs.writeFileSync(Path.join(logs, `process-${index + 1}.log`), log))
}
say(`\n${show(lines)}\n`)
const broken = brokenPromises(lines)
say(broken.length === 0 ? `seed ${seed}: every promise was kept` : `seed ${seed}: BROKEN: ${broken.join("; ")}`)
process.exit(broken.length === 0 ? 0 : 1)
