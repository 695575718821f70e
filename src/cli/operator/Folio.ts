import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Option } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { version } from "../../runtime/Version.ts"
import * as Postgres from "../../runtime/postgres/Postgres.ts"
import { purgeBatchMax, Retention } from "../../operations/store/Retention.ts"
import { accounts, keys } from "./AccountsCli.ts"
import { audit } from "./AuditCli.ts"
import { exitCodes } from "../user/Failures.ts"
import * as Help from "../user/Help.ts"
import { json, say } from "./Answers.ts"
import { platforms } from "./PlatformsCli.ts"
import { backup } from "./backup/BackupCommand.ts"
import { restore } from "./backup/RestoreCommand.ts"
import { resume } from "./backup/ResumeCommand.ts"
import { doctor } from "./Doctor.ts"
import { incidents } from "./IncidentsCli.ts"
import { rekey } from "./RekeyCommand.ts"
import { ReportedFailure } from "../../service/Run.ts"
import { edge, store } from "./Surroundings.ts"
import { asManyAsSet } from "../../service/supervisor/Several.ts"
import { init } from "./templates/Init.ts"

const processes = Flag.String("processes").pipe(
  Flag.withDescription("Number of processes that serve the port, or auto: as many as fit the machine"),
  Flag.optional
)

const serve = Command.make(
  "serve",
  { json, processes },
  Effect.fn(function* (flags) {
    if (flags.json) process.env["LOG_FORMAT"] = "json"
    if (Option.isSome(flags.processes)) process.env["PROCESSES"] = flags.processes.value
    const module = Effect.promise(() => import("../../service/Service.ts"))
    return yield* asManyAsSet(Effect.flatMap(module, ({ serve: one }) => one()))
  })
).pipe(Command.withDescription("Run the service until a stop signal; --json: write the log as JSON"))

const migrate = Command.make(
  "migrate",
  { json },
  Effect.fn(function* (flags) {
    const migration = yield* Postgres.bringUpToDate
    yield* say(flags.json, { migration }, [`Roles and tables are up to date, at migration ${migration}.`])
  })
).pipe(
  Command.withDescription("Migrate the database to this release, as each start of the service does"),
  Command.provide(edge)
)

/** Repeats a purge until a batch is not full, and gives the total of removed rows. */
const drain = (purge: Effect.Effect<number>) => {
  let removed = 0
  return purge.pipe(
    Effect.tap((batch) => Effect.sync(() => (removed += batch))),
    Effect.repeat({ while: (batch) => batch === purgeBatchMax }),
    Effect.map(() => removed)
  )
}

const purge = Command.make(
  "purge",
  { json },
  Effect.fn(function* (flags) {
    const removed = yield* Effect.forEach(Object.entries(yield* Retention), ([table, one]) =>
      Effect.map(drain(one), (count) => [table, count] as const)
    )
    yield* say(
      flags.json,
      Object.fromEntries(removed),
      removed.map(([table, count]) => `${table}: removed ${count}`)
    )
  })
).pipe(Command.withDescription("Delete expired data now, as the service does every minute"), Command.provide(store))

const folioCommand = Command.make("folio").pipe(
  Command.withDescription("Issue electronic invoices to the tax authority. Settings come from the environment."),
  Command.withSubcommands([
    serve,
    migrate,
    accounts,
    platforms,
    keys,
    audit,
    purge,
    backup,
    restore,
    resume,
    rekey,
    doctor,
    incidents,
    init
  ])
)

/**
 * Runs the command that the arguments name. `Help` prints a usage error, which becomes `ReportedFailure` with exit code
 * 2.
 */
export const folio = (words: ReadonlyArray<string>) =>
  Command.runWith(folioCommand, { version })(words).pipe(
    Effect.mapError((error) =>
      CliError.isCliError(error) ? new ReportedFailure({ message: error.message, exitCode: exitCodes.Misuse }) : error
    ),
    Effect.provide([Help.layer, NodeServices.layer])
  )
