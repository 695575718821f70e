import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Prompt from "effect/cli/Prompt"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { urlOf } from "../../clients/typescript/Addresses.ts"
import { firstQuery, keyOf, nextQuery, type Query, type RequestOf } from "../../clients/typescript/Attempts.ts"
import type { Operations } from "../../clients/typescript/Interface.ts"
import { routes } from "../../clients/typescript/OperationRoutes.ts"
import { UnusableBody, hasItsType, isObject, parsed } from "../../clients/typescript/ResponseBody.ts"
import * as Send from "../../clients/typescript/Send.ts"
import { accountHint, Connection } from "./Connection.ts"
import { Failed, Misuse, Refused, Unreachable } from "./Failures.ts"
import { Output } from "./Output.ts"

/** `--yes`: make changes with a live key without a confirmation. */
export const Yes = GlobalFlag.Setting("yes")({
  flag: Flag.Boolean("yes").pipe(
    Flag.withDescription("Make changes with a live key without asking"),
    Flag.withDefault(false)
  )
})

/** A request to send. `path` may include a query. */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly body?: string | undefined
  /** The idempotency key of a request that changes something; if omitted, `send` makes one. */
  readonly key?: string | undefined
  /** True for a POST that changes nothing. */
  readonly isRead?: boolean | undefined
  /** Time-out of an attempt in milliseconds; 60,000 if omitted. */
  readonly timeoutMs?: number | undefined
  /** True for a single attempt, because the caller retries itself. */
  readonly isOnce?: boolean | undefined
}

type CallError = Refused | Unreachable | Misuse | Failed

type AnswerOf<Operation> = Operation extends { readonly answer: infer Answer } ? Answer : never
type ItemOf<Operation> = Operation extends { readonly item: infer Item } ? Item : never

interface Taken {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Query
  readonly payload?: unknown
}

type Page = Parameters<typeof nextQuery>[1]

const isPage = (body: object): body is Page =>
  "data" in body && Array.isArray(body.data) && body.data.every((one) => isObject(one) && "id" in one)

// A failed connection has its cause in `cause.code`, and so does a failed DNS look-up.
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  if (typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string")
    return cause.code
  return error instanceof Error ? error.message : String(error)
}

/** Errors that mean that nothing listens at the address, so that an immediate retry would also fail. */
const noListener = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"])

const routeOf = (group: keyof Operations, name: PropertyKey) => {
  const [method = "", template = ""] = String(Reflect.get(routes[group], name)).split(" ")
  return { method, template }
}

/** Calls the service. Before a change with a live key, asks the person at the terminal. */
export class Api extends Context.Service<
  Api,
  {
    /** Sends a request with the clients' retries, and gives a successful response. Fails for an error response. */
    readonly send: (request: Sent) => Effect.Effect<Send.Received, CallError>
    /** Sends a request, and gives the parsed body. The caller chooses its type, which is not checked. */
    readonly json: <Answer>(request: Sent) => Effect.Effect<Answer, CallError>
    /** Calls an operation of the API. */
    readonly call: <Group extends keyof Operations, Name extends keyof Operations[Group]>(
      group: Group,
      name: Name,
      request: RequestOf<Operations[Group][Name]>,
      options?: Pick<Sent, "key" | "isRead" | "timeoutMs" | "isOnce">
    ) => Effect.Effect<AnswerOf<Operations[Group][Name]>, CallError>
    /** All objects of a list, fetched page by page. `name` is an `all…` operation. */
    readonly all: <Group extends keyof Operations, Name extends keyof Operations[Group]>(
      group: Group,
      name: Name,
      request: RequestOf<Operations[Group][Name]>
    ) => Stream.Stream<ItemOf<Operations[Group][Name]>, CallError>
    /** Asks once whether to make changes with a live key. Fails with `Misuse` without a terminal to ask at. */
    readonly mayChange: (what: string) => Effect.Effect<void, Misuse | Failed>
  }
>()("folio/cli/user/ApiRequests/Api") {
  static readonly layer = Layer.effect(
    Api,
    Effect.gen(function* () {
      const { from, headers: acting, key: apiKey, mode, url: base } = yield* Connection
      const output = yield* Output
      const isSure = yield* Yes
      const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
      const context = yield* Effect.context<Prompt.Environment>()
      const run = Effect.runForkWith(context)
      let isAllowed = mode === "test" || isSure

      const mayChange = Effect.fnUntraced(function* (what: string) {
        if (isAllowed) return
        if (!canPrompt) {
          return yield* new Misuse({
            message: `This is a LIVE key: ${what} at ${base} needs --yes, because there is no terminal to confirm at.`
          })
        }
        const question = Prompt.Confirm({ message: `LIVE: ${what} at ${base}?`, initial: false })
        const answer = yield* Prompt.run(question).pipe(
          Effect.provideContext(context),
          Effect.catchTag("QuitError", () => Effect.succeed(false))
        )
        if (!answer) return yield* new Failed({ message: "Canceled: nothing was changed." })
        isAllowed = true
      })

      const odd = (what: string, hint?: string) =>
        new Unreachable({
          message: `The response from ${base} is not Folio's: ${what}`,
          ...(hint === undefined ? {} : { hint })
        })

      const send = Effect.fn("Api.send")(function* (request: Sent) {
        const { body, isOnce = false, method, path, timeoutMs } = request
        if (method !== "GET" && request.isRead !== true) yield* mayChange(`${method} ${path}`)
        const key = keyOf(method, request.key)
        // The operations of a platform on its accounts reject the header.
        const headers = /^\/v1\/accounts(?![^/?])/.test(path) ? {} : acting
        const again = key === undefined ? undefined : repeatedWith(key)
        const { attempts, cause, received } = yield* Effect.promise((signal) =>
          Send.send(
            { method, url: urlOf(base, path, {}), apiKey: Redacted.value(apiKey), key, headers, body },
            {
              signal,
              timeoutMs,
              ...(isOnce ? { waits: [] } : {}),
              isPermanent: (error) => noListener.has(reasonOf(error)),
              onWait: (tries, pause) => {
                if (tries > 1 || pause > 1_500) run(output.say(({ dim }) => dim(`waiting for ${base} …`)))
              }
            }
          )
        ).pipe(Effect.onInterrupt(() => (again === undefined || isOnce ? Effect.void : Console.error(`\n  ${again}`))))
        if (cause instanceof UnusableBody) {
          return yield* new Unreachable({ message: `${base} can't be read. ${cause.message}` })
        }
        if (received === undefined) {
          return yield* new Unreachable({
            message: `${base} doesn't respond (${reasonOf(cause)}).`,
            hint: again === undefined || attempts === 1 ? "Is the service running there?" : again
          })
        }
        const refused = Send.errorIn(received)
        if (refused !== undefined) {
          const hints: Readonly<Record<string, string>> = {
            invalid_api_key: `The key comes from ${from}.`,
            account_required: accountHint
          }
          return yield* new Refused({ body: refused, hint: hints[refused.error.code] })
        }
        const contentType = received.header("content-type") ?? ""
        const [pathname = ""] = path.split("?")
        // Next to the API, a service has pages for people, which are not JSON.
        const isOfFolio = hasItsType(method, pathname, contentType) || !pathname.startsWith("/v1/")
        if (Send.isSuccess(received) && isOfFolio) return received
        return yield* odd(`status ${received.status}, type ${contentType || "unknown"}.`, again)
      })

      const json = Effect.fnUntraced(function* (request: Sent) {
        const body = parsed((yield* send(request)).bytes)
        return isObject(body) ? body : yield* odd("it is not a JSON object.")
      })

      const operation = (
        group: keyof Operations,
        name: PropertyKey,
        request: Taken,
        options: Pick<Sent, "key" | "isRead" | "timeoutMs" | "isOnce"> = {}
      ) =>
        Effect.suspend(() => {
          const { method, template } = routeOf(group, name)
          const { pathname, search } = urlOf("http://folio", template, request)
          const body = request.payload === undefined ? undefined : JSON.stringify(request.payload)
          return json({ method, path: `${pathname}${search}`, body, ...options })
        })

      const pages = (group: keyof Operations, name: PropertyKey, request: Taken) =>
        Stream.paginate(firstQuery(request.query), (query) =>
          Effect.flatMap(operation(group, name, { ...request, query }), (body) =>
            isPage(body)
              ? Effect.succeed([body.data, Option.fromNullOr(nextQuery(query, body))] as const)
              : odd("it is not a list of objects.")
          )
        )

      return Api.of({
        send,
        json: (request) => json(request) as Effect.Effect<never, CallError>,
        mayChange,
        call: (group, name, request, options) =>
          operation(group, name, request as Taken, options) as Effect.Effect<never>,
        all: (group, name, request) => pages(group, name, request as Taken) as Stream.Stream<never>
      })
    })
  )
}

const repeatedWith = (key: string) =>
  `The outcome is unknown. To retry safely, repeat the command with --idempotency-key ${key}.`
