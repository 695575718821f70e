import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Terminal from "effect/Terminal"
import type { Teardown } from "effect/Runtime"
import { Api, Yes } from "./ApiRequests.ts"
import { api } from "./commands/ApiCommand.ts"
import { customers } from "./commands/CustomersCommand.ts"
import { deliveries, recover } from "./commands/DeliveriesCommand.ts"
import { creditNoteCommands, debitNoteCommands, invoices } from "./commands/DocumentsCommand.ts"
import { events } from "./commands/EventsCommand.ts"
import { login } from "./commands/Login.ts"
import { open } from "./commands/Open.ts"
import { portal } from "./commands/PortalCommand.ts"
import { requests } from "./commands/RequestsCommand.ts"
import { webhooks } from "./commands/WebhooksVerify.ts"
import { Connection } from "./Connection.ts"
import { enable } from "./commands/Enable.ts"
import { exitCodes, Failed, isFailure, Misuse } from "./Failures.ts"
import * as Help from "./Help.ts"
import { listen } from "./listen/Listen.ts"
import { Json, make as makeOutput, Output } from "./Output.ts"
import { trigger } from "./trigger/Trigger.ts"

// Imports only the needed modules of effect: loading all of them takes longer than most commands.

/** A command of the service's package, listed in the help and not run by `shell`. */
export interface Named {
  readonly name: string
  readonly description: string
}

const connected = Layer.provideMerge(Api.layer, Connection.layer)

/** The command tree. */
export const rootOf = (operators: ReadonlyArray<Named>) =>
  Command.make("folio").pipe(
    Command.withDescription("Electronic invoices: call the API of a Folio service from the command line"),
    Command.withExamples([{ command: "folio listen --forward-to :9099/hook" }]),
    Command.withSubcommands([
      {
        group: "API COMMANDS",
        commands: [
          login,
          listen.pipe(Command.provide(connected)),
          trigger.pipe(Command.provide(connected)),
          invoices.pipe(Command.provide(connected)),
          creditNoteCommands.pipe(Command.provide(connected)),
          debitNoteCommands.pipe(Command.provide(connected)),
          customers.pipe(Command.provide(connected)),
          events.pipe(Command.provide(connected)),
          deliveries.pipe(Command.provide(connected)),
          recover.pipe(Command.provide(connected)),
          requests.pipe(Command.provide(connected)),
          enable.pipe(Command.provide(connected)),
          webhooks,
          portal.pipe(Command.provide(connected)),
          open.pipe(Command.provide(connected)),
          api.pipe(Command.provide(connected))
        ]
      },
      ...(operators.length === 0
        ? []
        : [
            {
              group: Help.operatorsGroup,
              commands: operators.map(({ description, name }) =>
                Command.make(name).pipe(Command.withDescription(description))
              )
            }
          ])
    ]),
    Command.provide(Output.layer),
    Command.withGlobalFlags([Json, Yes])
  )

/** The exit code after Ctrl-C, as in other programs. */
const interrupted = 130

// Operations trust the API's response types: a missing field shows as a failure of the program.
const unexpected = (error: unknown) =>
  new Failed({
    message: `The command failed: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
    hint: "Does the service have another API version, or is the program at the URL not Folio?"
  })

/** Prints a failure and gives the exit code. The presenter has already printed a usage error. */
const codeOf = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>, isJson: boolean) {
  const error = Result.getOrUndefined(Cause.findError(cause))
  if (Cause.hasInterruptsOnly(cause) || Terminal.isQuitError(error)) return interrupted
  if (CliError.isCliError(error)) return exitCodes.Misuse
  const capabilities = yield* TerminalCapabilities.TerminalCapabilities
  const failure = isFailure(error) ? error : unexpected(Cause.squash(cause))
  return yield* Effect.as(makeOutput(isJson, capabilities).failure(failure), exitCodes[failure._tag])
})

/** Rejects `--wizard` without a terminal, because the wizard asks questions. */
const wizardAllowed = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  if (words.includes("--wizard") && !canPrompt) {
    return yield* new Misuse({ message: "--wizard needs a terminal to ask its questions at." })
  }
})

/** Runs the command that the words name. Succeeds with the process's exit code. */
export const shell = (words: ReadonlyArray<string>, options: { version: string; operators: ReadonlyArray<Named> }) =>
  wizardAllowed(words).pipe(
    Effect.andThen(Command.runWith(rootOf(options.operators), { version: options.version })(words)),
    Effect.as<number>(0),
    Effect.catchCause((cause) => codeOf(cause, words.includes("--json"))),
    Effect.provide([Help.layer, NodeServices.layer])
  )

const teardown: Teardown = (exit, onExit) =>
  onExit(Exit.isSuccess(exit) ? (typeof exit.value === "number" ? exit.value : 0) : interrupted)

/** Runs `shell` as this process. */
export const main = (...call: Parameters<typeof shell>): void => {
  NodeRuntime.runMain(shell(...call), { teardown, disableErrorReporting: true })
  // A reader may close the pipe early: `folio events tail | head -1`.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit(0))
}
